package io.mortise.internal.engine;

import io.mortise.LockServiceClosedException;
import io.mortise.internal.wire.ClientId;
import io.mortise.spi.TimeSource;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How far a service is closed, and how many of its releases are out. Thread-safe.
 *
 * <pre>
 *   OPEN      takes work
 *   DRAINING  takes no new work, and ends all waits. A hold stays held and renewed. Its holder may
 *             nest it, extend it, look at it and release it
 *   CLOSED    refuses everything, and renews nothing
 *
 *   OPEN      close(time)                                        DRAINING
 *   OPEN      close()                                            CLOSED
 *   DRAINING  the last hold has ended, the time is over, the     CLOSED
 *             closing thread is interrupted, or close()
 * </pre>
 */
final class ServicePhase {
  private enum Phase {
    OPEN,
    DRAINING,
    CLOSED
  }

  private final ClientId clientId;
  private final TimeSource time;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);
  private final AtomicInteger releases = new AtomicInteger();
  private final CompletableFuture<Void> allReleased = new CompletableFuture<>();
  private final Set<Thread> draining = ConcurrentHashMap.newKeySet();

  ServicePhase(ClientId clientId, TimeSource time) {
    this.clientId = clientId;
    this.time = time;
  }

  boolean takesWork() {
    return phase.get() == Phase.OPEN;
  }

  boolean isClosed() {
    return phase.get() == Phase.CLOSED;
  }

  /** Begins to drain. Returns whether this call did so. */
  boolean drain() {
    return phase.compareAndSet(Phase.OPEN, Phase.DRAINING);
  }

  /**
   * Closes the service, and wakes the threads that wait for holds to end. Returns whether this call
   * closed it. That call counts as a release until it calls {@link #released}, after it has looked
   * at everything.
   */
  boolean close() {
    releases.incrementAndGet();
    boolean first = phase.getAndSet(Phase.CLOSED) != Phase.CLOSED;
    if (!first) {
      released();
    }
    wake();
    return first;
  }

  LockServiceClosedException refusal(String what) {
    return new LockServiceClosedException(
        "%s: its service %s is %s; open a new one"
            .formatted(what, clientId, isClosed() ? "closed" : "closing"));
  }

  /**
   * A hold or a place in the queue is about to be given back. Called before it ends or is
   * forgotten, so that closing the service either finds it, or waits for {@link #released}.
   *
   * @return false if the service is closed
   */
  boolean releasing() {
    releases.incrementAndGet();
    return !isClosed();
  }

  /** The release was answered, or goes on in the background. */
  void released() {
    if (releases.decrementAndGet() == 0 && isClosed()) {
      allReleased.complete(null);
    }
    ended();
  }

  /** Whether releases are out. */
  boolean isReleasing() {
    return releases.get() > 0;
  }

  /** Completes after the close, as soon as no release is out. */
  CompletableFuture<Void> allReleased() {
    return allReleased;
  }

  /** An acquisition is over: wakes the threads that wait for holds to end. */
  void ended() {
    if (!takesWork()) {
      wake();
    }
  }

  private void wake() {
    draining.forEach(time::unpark);
  }

  /** From now on this thread is woken whenever a hold may have ended. */
  void watch(Thread thread) {
    draining.add(thread);
  }

  void unwatch(Thread thread) {
    draining.remove(thread);
  }
}
