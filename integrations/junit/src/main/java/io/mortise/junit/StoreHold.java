package io.mortise.junit;

import io.mortise.spi.internal.Shown;

/**
 * A hold as the store has it: of a lock, of one side of a read/write lock, or of permits.
 *
 * @param kind {@code lock}, {@code read lock}, {@code write lock} or {@code semaphore}
 * @param name the name of the lock or semaphore, without prefix
 * @param clientId the service that holds it, as {@link io.mortise.LockService#clientId} gives it
 * @param threadId the thread that acquired it from the store
 */
public record StoreHold(String kind, String name, String clientId, long threadId) {
  @Override
  public String toString() {
    return "%s '%s', acquired by %s".formatted(kind, Shown.of(name), threadName());
  }

  private String threadName() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getId() == threadId)
        .findAny()
        .map(thread -> "thread '" + Shown.of(thread) + "'")
        .orElse("thread " + threadId + ", which has ended or is virtual");
  }
}
