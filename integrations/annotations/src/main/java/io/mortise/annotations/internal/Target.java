package io.mortise.annotations.internal;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one call of a method holds, such as locks, all or none of them. */
public interface Target {
  /** Kind and name for people, such as {@code lock 'orders'}. */
  String text();

  /** Whether what has that name belongs to it. */
  boolean has(String name);

  /** Whether both have a lock in common, on either side of it. */
  boolean overlaps(Target other);

  /** Whether the calling thread holds one of its locks, by this module or not. */
  boolean isHeldByCurrentThread();

  /**
   * Acquires for the calling thread.
   *
   * @return null if others had it until the wait was over
   * @throws io.mortise.LeaseLostException the thread works under one of the locks already, and has
   *     lost it
   */
  @Nullable ThreadScope hold(LockTerms terms) throws InterruptedException;

  /**
   * Acquires a lease, which is bound to no thread.
   *
   * @param wait the longest time to wait; null for no limit
   * @return empty if others had it until the wait was over
   */
  Optional<Lease> acquire(@Nullable Duration wait) throws InterruptedException;

  /** Acquires leases without blocking. */
  AsyncLock async();
}
