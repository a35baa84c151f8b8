package io.mortise.internal.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * The command by which a sleeping agent confirms a grant. The thread that hears of the grant sends
 * it, so the command does not wait until the agent is awake. The agent takes the command back when
 * it wakes for another reason. The first of the two decides. Thread-safe.
 */
final class Confirmation {
  private final LongFunction<CompletableFuture<List<Object>>> send;
  private final Runnable wake;
  private final CompletableFuture<List<Object>> reply = new CompletableFuture<>();
  private boolean begun;
  private boolean takenBack;
  private long sentAt;

  /**
   * @param send sends the command without blocking, and is told the time. What it throws, the agent
   *     hears
   * @param wake wakes the agent
   */
  Confirmation(LongFunction<CompletableFuture<List<Object>>> send, Runnable wake) {
    this.send = send;
    this.wake = wake;
  }

  /** A grant was heard of: sends the command. Returns false if it was sent or taken back before. */
  boolean begin(long now) {
    synchronized (this) {
      if (begun || takenBack) {
        return false;
      }
      begun = true;
      sentAt = now;
    }
    CompletableFuture<List<Object>> arriving;
    try {
      arriving = send.apply(now);
    } catch (RuntimeException | Error e) { // the agent waits for an answer, whatever it is
      arriving = CompletableFuture.failedFuture(e);
    }
    answers(arriving);
    return true;
  }

  private void answers(CompletableFuture<List<Object>> arriving) {
    CompletableFuture<?> unused =
        arriving.whenComplete((value, failure) -> {
          Futures.copy(arriving, reply);
          wake.run();
        });
  }

  /** The agent is awake. Returns false if the command was sent before; then its reply counts. */
  synchronized boolean takeBack() {
    takenBack = !begun;
    return takenBack;
  }

  /** When the command was sent. */
  synchronized long sentAt() {
    return sentAt;
  }

  CompletableFuture<List<Object>> reply() {
    return reply;
  }
}
