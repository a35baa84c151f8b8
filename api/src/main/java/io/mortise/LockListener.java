package io.mortise;

/**
 * A listener to the events of a service, for metrics and tracing. An exception of a listener is
 * logged and has no other effect.
 *
 * <p>Exactly one {@link #released} or {@link #lost} follows each {@link #acquired}. The events of
 * one hold come one after the other in this order, also on an executor of many threads. Closing the
 * service reports every hold that is left as {@code lost}, because the service will not see its
 * end. The thread may hold the lock until its lease ends.
 *
 * <p><b>Threads.</b> A method that runs on a locking or unlocking thread must not block.
 *
 * <ul>
 *   <li>{@link #acquired}: for a thread's hold on the thread that locks; for a {@link Lease} on the
 *       service's executor.
 *   <li>{@link #released}: for a thread's hold on the thread that unlocks; for a {@link Lease} on
 *       the thread that closes it, or on the service's executor after {@link Lease#releaseAsync}.
 *   <li>{@link #lost} and {@link #leaseChanged}: always on the service's executor.
 * </ul>
 *
 * <p>There are two exceptions. If an event comes while another event of the same hold is being
 * reported, the thread that reports the first one reports the second one afterwards. That keeps the
 * order. If the executor accepts no more tasks, {@code lost} and the events of a {@code Lease} run
 * on the thread that sees them, and {@code leaseChanged} is dropped.
 */
public interface LockListener {
  /**
   * A thread acquired a lock, or a lease was acquired. Nested acquisitions are not reported.
   *
   * @param name the lock's name
   * @param waitedNanos nanoseconds from the call to the acquisition
   * @param remote whether the store granted it; false after a hand-off by another thread of this
   *     service
   */
  default void acquired(String name, long waitedNanos, boolean remote) {}

  /**
   * A thread released a lock or handed it off to another thread of this service, or a lease was
   * given back.
   *
   * @param name the lock's name
   * @param heldNanos nanoseconds from the acquisition to the release
   */
  default void released(String name, long heldNanos) {}

  /**
   * A hold ended without a release: its lease is over, or its service was closed.
   *
   * @param name the lock's name
   * @param heldNanos nanoseconds from the acquisition to the moment when the loss was seen
   * @param reason what the service saw, for people
   */
  default void lost(String name, long heldNanos, String reason) {}

  /**
   * A lease became suspect, recovered, or was lost. A loss is also reported for a lock that no
   * thread held at that moment, because one thread had just handed it off to the next.
   *
   * @param event the change, and the hold that it concerns
   */
  default void leaseChanged(LeaseChange event) {}
}
