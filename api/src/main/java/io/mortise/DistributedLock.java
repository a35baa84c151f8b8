package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;

/** One named lock of one {@link LockService}. Two handles of one name are the same lock. */
public interface DistributedLock extends LeasedLock {
  @Override
  DistributedLock withLease(Duration lease);

  /**
   * Whether anybody holds the lock: one read-only command, a snapshot.
   *
   * @return whether it is held, here or elsewhere
   */
  boolean isLocked();

  /**
   * What is left of the current lease, whoever holds it: one read-only command, a snapshot.
   *
   * @return milliseconds, or -2 if the lock is free
   */
  long remainTimeToLive();

  /**
   * As {@link #remainTimeToLive}.
   *
   * @return zero if the lock is free
   */
  default Duration remaining() {
    return Duration.ofMillis(Math.max(0, remainTimeToLive()));
  }

  /**
   * Who holds the lock: one read-only command, a snapshot. Of the readers of a read/write lock, the
   * one whose lease ends last.
   *
   * @return empty if the lock is free
   */
  Optional<LockHolder> holder();

  /**
   * Ends anybody's hold and lets the next waiter in. The holder is told at once if it can be
   * reached, else at its next renewal if it has one; its {@code unlock} throws {@link
   * LeaseLostException}.
   *
   * @return whether it was held
   */
  boolean forceUnlock();

  /**
   * As {@link #forceUnlock}, without blocking.
   *
   * @return whether it was held; completes on the service's executor, and fails with what the
   *     blocking method throws
   */
  CompletableFuture<Boolean> forceUnlockAsync();

  /**
   * A condition that only those who have the returned object wait for and signal: as a condition of
   * a {@link java.util.concurrent.locks.ReentrantLock}, between threads of this process. Waiting
   * and signalling send no command but those of the lock.
   *
   * @return a new condition of this lock, thread-safe; every method needs the lock, and throws
   *     {@link IllegalMonitorStateException} without it, which is a {@link LeaseLostException} if
   *     the lease is over. If the store cannot be reached when a waiting thread is to have the lock
   *     again, {@code await} throws what {@code lock()} does, and the thread does not have it
   * @throws UnsupportedOperationException this is the read side of a read/write lock
   */
  @Override
  Condition newCondition();

  /**
   * The condition of a name, shared by all processes: a thread of one waits, a thread of another
   * signals. To wait costs a command more than to unlock and lock, and one every two seconds; to
   * signal costs one. A signal goes to the thread that has waited longest and whose process is
   * alive; if that process dies with it, it is gone, as if it had died a moment later.
   *
   * @param name 1 to 512 bytes of UTF-8 without braces and colons
   * @return a handle, as {@link #newCondition()} for the rest. If the store cannot be reached, or
   *     does not answer, {@code signal} throws {@link BackendUnavailableException} or {@link
   *     OutcomeUnknownException}; {@code await} throws them before the lock is given back
   * @throws IllegalArgumentException the name is empty, too long, or has braces or colons
   * @throws UnsupportedOperationException this is the read side of a read/write lock
   */
  Condition newCondition(String name);
}
