package io.mortise.internal.engine;

import io.mortise.LockServiceClosedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The command by which a sleeping agent confirms a grant. The thread that hears of the grant sends
 * it, so that it does not wait until the agent is awake. The agent takes the command back when it
 * wakes for another reason. Whichever of the two comes first decides. Thread-safe.
 */
final class Confirmation {
  /** Sends the command. */
  interface Sender {
    /**
     * Sends the command without blocking.
     *
     * @throws LockServiceClosedException the service takes no more work, so it was not sent
     */
    CompletableFuture<List<Object>> send(long sentAt);
  }

  private final Sender sender;
  private final Runnable wake;
  private final CompletableFuture<List<Object>> reply = new CompletableFuture<>();
  private boolean begun;
  private boolean takenBack;
  private long sentAt;

  /**
   * @param wake wakes the agent
   */
  Confirmation(Sender sender, Runnable wake) {
    this.sender = sender;
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
      arriving = sender.send(now);
    } catch (RuntimeException | Error e) { // whatever it is, the agent waits for it
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
