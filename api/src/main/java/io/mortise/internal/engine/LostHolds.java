package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lost holds of threads that have not unlocked since. They are kept beside the gates: they mark the
 * thread, so that it learns of the loss, and block no other thread. Thread-safe.
 */
public final class LostHolds {
  private record Key(Thread thread, String lockKey) {}

  private final Map<Key, Deque<Hold>> holds = new HashMap<>();

  synchronized void add(Hold hold) {
    holds.keySet().removeIf(key -> !key.thread().isAlive());
    if (hold.thread().isAlive()) {
      Key key = new Key(hold.thread(), hold.acquisition().keys().lock());
      holds.computeIfAbsent(key, k -> new ArrayDeque<>()).push(hold);
    }
  }

  /** The calling thread's newest lost hold of a lock; null if it has none. */
  public synchronized @Nullable Hold find(LockKeys keys) {
    Deque<Hold> own = holds.get(new Key(Thread.currentThread(), keys.lock()));
    return own == null ? null : own.peek();
  }

  /** The thread that lost this acquisition and has not unlocked since; null if there is none. */
  public synchronized @Nullable Thread loserOf(String acquisitionId) {
    return holds.values().stream()
        .flatMap(Deque::stream)
        .filter(hold -> hold.acquisition().id().equals(acquisitionId))
        .map(Hold::thread)
        .findFirst()
        .orElse(null);
  }

  /**
   * Counts one unlock of the calling thread's newest lost hold. Returns that hold; null if it has
   * none.
   */
  public synchronized @Nullable Hold exit(LockKeys keys) {
    Key key = new Key(Thread.currentThread(), keys.lock());
    Deque<Hold> own = holds.get(key);
    if (own == null) {
      return null;
    }
    Hold hold = own.getFirst();
    if (hold.exit()) {
      own.pop();
      if (own.isEmpty()) {
        holds.remove(key);
      }
    }
    return hold;
  }

  /** The calling thread has learned of the loss of this hold. It is marked no more. */
  public synchronized void forget(Hold hold) {
    Key key = new Key(hold.thread(), hold.acquisition().keys().lock());
    Deque<Hold> own = holds.get(key);
    if (own != null && own.remove(hold) && own.isEmpty()) {
      holds.remove(key);
    }
  }

  /** Interrupts the thread that lost the hold, unless it has learned of the loss meanwhile. */
  synchronized void interrupt(Hold hold) {
    Deque<Hold> own = holds.get(new Key(hold.thread(), hold.acquisition().keys().lock()));
    if (own != null && own.contains(hold)) {
      hold.thread().interrupt();
    }
  }
}
