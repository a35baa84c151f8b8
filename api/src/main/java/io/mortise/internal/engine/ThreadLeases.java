package io.mortise.internal.engine;

import io.mortise.Lease;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which thread holds which lock by which lease. This makes a {@code Lock} of a lease. A lease that
 * was lost stays until its thread has unlocked, or has ended. Thread-safe.
 */
public final class ThreadLeases {
  /** One thread's hold, however deeply nested. Only that thread changes the count. */
  public static final class Held {
    private final Lease lease;
    private int count = 1;

    private Held(Lease lease) {
      this.lease = lease;
    }

    public Lease lease() {
      return lease;
    }

    public int count() {
      return count;
    }

    /** The thread locks once more. */
    public void enter() {
      if (count == Integer.MAX_VALUE) {
        throw new Error("Maximum lock count exceeded");
      }
      count++;
    }
  }

  private record Key(Thread thread, String lock) {}

  private final Map<Key, Deque<Held>> holds = new HashMap<>();

  /** From how many on those of dead threads are looked for. */
  private int enough;

  /** The calling thread's newest hold, valid or lost; null if it has none. */
  public synchronized @Nullable Held find(String lock) {
    Deque<Held> own = holds.get(new Key(Thread.currentThread(), lock));
    return own == null ? null : own.peek();
  }

  /**
   * The newest hold of the thread with that id. It searches all holds, so it is for diagnostics
   * only.
   */
  public synchronized @Nullable Held find(String lock, long threadId) {
    return holds.entrySet().stream()
        .filter(each -> each.getKey().lock().equals(lock))
        .filter(each -> each.getKey().thread().getId() == threadId)
        .map(each -> each.getValue().peek())
        .findFirst()
        .orElse(null);
  }

  /** The calling thread has acquired the lock. */
  public synchronized void add(String lock, Lease lease) {
    Key key = new Key(Thread.currentThread(), lock);
    holds.computeIfAbsent(key, k -> new ArrayDeque<>(1)).push(new Held(lease));
  }

  /**
   * Counts one unlock of a hold of the calling thread.
   *
   * @return the lease to be released now, if that was the outermost unlock; else null
   */
  public synchronized @Nullable Lease exit(String lock, Held own) {
    own.count--;
    if (own.count > 0) {
      return null;
    }
    Key key = new Key(Thread.currentThread(), lock);
    Deque<Held> mine = holds.get(key);
    if (mine != null && mine.remove(own) && mine.isEmpty()) {
      holds.remove(key);
    }
    return own.lease;
  }

  /**
   * Forgets the leases of dead threads that are over. It looks through all, so it does that only
   * when there are twice as many as after the last look.
   */
  public synchronized void forgetDead() {
    if (holds.size() < enough) {
      return;
    }
    holds
        .entrySet()
        .removeIf(each ->
            !each.getKey().thread().isAlive()
                && each.getValue().stream().noneMatch(held -> !held.lease.remaining().isZero()));
    enough = 2 * holds.size();
  }
}
