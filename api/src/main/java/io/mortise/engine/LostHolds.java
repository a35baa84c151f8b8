package io.mortise.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds that ended under a thread that has not unlocked yet. They stand beside the gates: they mark
 * the thread, so that it learns of the loss, and block nobody. Thread-safe.
 */
final class LostHolds {
  private record Key(Thread thread, String name) {}

  private final Map<Key, Deque<Hold>> holds = new HashMap<>();

  synchronized void add(Hold hold) {
    holds.keySet().removeIf(key -> !key.thread().isAlive());
    if (hold.thread().isAlive()) {
      Key key = new Key(hold.thread(), hold.acquisition().keys().name());
      holds.computeIfAbsent(key, k -> new ArrayDeque<>()).push(hold);
    }
  }

  /** The calling thread's newest lost hold of a lock. */
  synchronized @Nullable Hold find(String name) {
    Deque<Hold> own = holds.get(new Key(Thread.currentThread(), name));
    return own == null ? null : own.peek();
  }

  /** One unlock of the calling thread's newest lost hold. */
  synchronized @Nullable Hold exit(String name) {
    Key key = new Key(Thread.currentThread(), name);
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

  synchronized int size() {
    return holds.size();
  }
}
