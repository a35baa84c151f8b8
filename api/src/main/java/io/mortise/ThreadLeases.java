package io.mortise;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which thread holds which lock by which lease: what makes a lease a {@code Lock}. One that was
 * lost stays until its thread has unlocked. A dead thread's leases are let go, and so are no longer
 * renewed. Thread-safe.
 */
final class ThreadLeases {
  /** One thread's hold, however deeply nested. */
  static final class Held {
    private final Lease lease;
    private int count = 1;

    Held(Lease lease) {
      this.lease = lease;
    }

    Lease lease() {
      return lease;
    }

    int count() {
      return count;
    }
  }

  private static final Map<Thread, Map<String, Deque<Held>>> ALL = new WeakHashMap<>();

  /** Which lock: all handles of the same members are the same lock. */
  private final String lock;

  ThreadLeases(String lock) {
    this.lock = lock;
  }

  /** The newest hold of a thread, good or lost. */
  @Nullable Held of(Thread thread) {
    synchronized (ALL) {
      Map<String, Deque<Held>> own = ALL.get(thread);
      Deque<Held> holds = own == null ? null : own.get(lock);
      return holds == null ? null : holds.peek();
    }
  }

  /** The newest hold of a thread of that id. */
  @Nullable Held of(long threadId) {
    synchronized (ALL) {
      return ALL.keySet().stream()
          .filter(thread -> thread.getId() == threadId)
          .findFirst()
          .map(this::of)
          .orElse(null);
    }
  }

  /** The calling thread has acquired. */
  void add(Lease lease) {
    synchronized (ALL) {
      ALL.keySet().removeIf(thread -> !thread.isAlive());
      ALL.computeIfAbsent(Thread.currentThread(), thread -> new HashMap<>())
          .computeIfAbsent(lock, key -> new ArrayDeque<>())
          .push(new Held(lease));
    }
  }

  /** The calling thread enters a hold of its own once more. */
  void enter(Held own) {
    if (own.count == Integer.MAX_VALUE) {
      throw new Error("Maximum lock count exceeded");
    }
    own.count++;
  }

  /**
   * The calling thread leaves its newest hold once.
   *
   * @return the lease to be released now, if that was the outermost
   */
  @Nullable Lease exit(Held own) {
    own.count--;
    if (own.count > 0) {
      return null;
    }
    synchronized (ALL) {
      Thread thread = Thread.currentThread();
      Map<String, Deque<Held>> mine = ALL.getOrDefault(thread, Map.of());
      Deque<Held> holds = mine.get(lock);
      if (holds != null) {
        holds.remove(own);
        if (holds.isEmpty()) {
          mine.remove(lock);
        }
        if (mine.isEmpty()) {
          ALL.remove(thread);
        }
      }
    }
    return own.lease;
  }
}
