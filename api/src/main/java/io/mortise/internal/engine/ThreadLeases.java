package io.mortise.internal.engine;

import io.mortise.Lease;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which thread holds which lock by which lease. This makes a {@code Lock} of a lease. {@link
 * ThreadStacks} says how long a lease stays that was lost. Thread-safe.
 */
public final class ThreadLeases {
  /** One thread's hold, however deeply nested. Only that thread changes the count. */
  public static final class Held {
    private final Lease lease;
    private final BooleanSupplier over;
    private int count = 1;

    private Held(Lease lease, BooleanSupplier over) {
      this.lease = lease;
      this.over = over;
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

  private final ThreadStacks<Held> holds =
      new ThreadStacks<>(held -> held.over.getAsBoolean(), dropped -> {});

  /** The calling thread's newest hold, valid or lost; null if it has none. */
  public synchronized @Nullable Held find(String lock) {
    return holds.find(lock);
  }

  /**
   * The newest hold of the thread with that id. It searches all holds, so it is for diagnostics
   * only.
   */
  public synchronized @Nullable Held find(String lock, long threadId) {
    return holds.find(lock, threadId);
  }

  /**
   * The calling thread has acquired the lock.
   *
   * @param over whether the lease has ended for good; it changes nothing
   */
  public synchronized void add(String lock, Lease lease, BooleanSupplier over) {
    holds.forgetTold();
    holds.push(Thread.currentThread(), lock, new Held(lease, over));
  }

  /** The calling thread asked, and is told that it does not hold the lock. */
  public synchronized void told(String lock) {
    holds.tell(lock);
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
    holds.remove(Thread.currentThread(), lock, own);
    return own.lease;
  }

  @Override
  public synchronized String toString() {
    return holds.size() + " hold(s)";
  }
}
