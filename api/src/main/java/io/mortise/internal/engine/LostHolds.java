package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lost holds of threads that were not told by an unlock. They are kept beside the gates: they mark
 * the thread, so that it learns of the loss, and block no other thread. {@link ThreadStacks} says
 * when one is forgotten. Thread-safe.
 */
public final class LostHolds {
  private final ThreadStacks<Hold> holds = new ThreadStacks<>(hold -> true, this::dropped);

  /** The newest hold of each acquisition. Readers may share one. */
  private final Map<String, Hold> byAcquisition = new HashMap<>();

  /** Whether any thread may have been told. Written under the monitor. */
  private volatile boolean anyTold;

  synchronized void add(Hold hold) {
    if (hold.thread().isAlive()) {
      byAcquisition.put(hold.acquisition().id(), hold);
      holds.push(hold.thread(), lock(hold), hold);
    }
  }

  private static String lock(Hold hold) {
    return hold.acquisition().keys().lock();
  }

  private void dropped(Hold hold) {
    byAcquisition.remove(hold.acquisition().id(), hold);
  }

  /** The calling thread's newest lost hold of a lock; null if it has none. */
  public synchronized @Nullable Hold find(LockKeys keys) {
    return holds.find(keys.lock());
  }

  /** A thread that lost this acquisition and has not unlocked since; null if there is none. */
  public synchronized @Nullable Thread loserOf(String acquisitionId) {
    Hold hold = byAcquisition.get(acquisitionId);
    return hold == null ? null : hold.thread();
  }

  /**
   * Counts one unlock of the calling thread's newest lost hold. Returns that hold; null if it has
   * none.
   */
  public synchronized @Nullable Hold exit(LockKeys keys) {
    Hold hold = holds.find(keys.lock());
    if (hold != null && hold.exit()) {
      forget(hold);
    }
    return hold;
  }

  /** The calling thread has learned of the loss of this hold. It is marked no more. */
  public synchronized void forget(Hold hold) {
    holds.remove(hold.thread(), lock(hold), hold);
  }

  /** The calling thread asked, and is told that it does not hold the lock. */
  public synchronized void told(LockKeys keys) {
    holds.tell(keys.lock());
    anyTold = holds.anyTold();
  }

  /** The calling thread has acquired a lock: it goes on without the holds it was told of. */
  public void goesOn() {
    if (anyTold) {
      forgetTold();
    }
  }

  private synchronized void forgetTold() {
    holds.forgetTold();
    anyTold = holds.anyTold();
  }

  /** Interrupts the thread that lost the hold, unless it has learned of the loss meanwhile. */
  synchronized void interrupt(Hold hold) {
    if (holds.has(hold.thread(), lock(hold), hold)) {
      hold.thread().interrupt();
    }
  }

  @Override
  public synchronized String toString() {
    return holds.size() + " lost hold(s)";
  }
}
