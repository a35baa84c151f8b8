package io.mortise;

/**
 * A hook for metrics and tracing. What a listener throws is logged and has no other effect.
 *
 * <p>Each {@link #acquired} is followed by exactly one {@link #released} or {@link #lost}. Closing
 * the service ends what is still held as {@code lost}, since nobody will see its end: a thread
 * inside may go on until its lease ends. The events of one hold come one after the other in this
 * order, also on an executor of many threads.
 *
 * <p>{@code acquired} and {@code released} are called on the thread that locks or unlocks, and must
 * not block. For a lease {@code acquired} is called on the service's executor, as {@code lost} and
 * {@link #leaseChanged} always are; if the executor takes no more, {@code lost} is called on the
 * thread that sees the end. An event that comes while another one of the same hold is being told is
 * told after it, by the same thread.
 */
public interface LockListener {
  /**
   * A thread or a lease acquired a lock; nested acquisitions are not reported.
   *
   * @param name the lock
   * @param waitedNanos from the call to the acquisition
   * @param remote whether the store was asked; false if another thread of this service handed over
   */
  default void acquired(String name, long waitedNanos, boolean remote) {}

  /**
   * A thread released a lock, or handed it to another thread of this service; or a lease was given
   * back.
   *
   * @param name the lock
   * @param heldNanos from the acquisition to the release
   */
  default void released(String name, long heldNanos) {}

  /**
   * A hold ended without being released: its lease is over, or its service was closed.
   *
   * @param name the lock
   * @param heldNanos from the acquisition to the moment the loss was seen
   * @param reason what was seen
   */
  default void lost(String name, long heldNanos, String reason) {}

  /**
   * A hold became suspect, recovered, or was lost. A loss is also told of a lock that no thread was
   * inside of at that moment, since one thread had just handed it to the next.
   *
   * @param event what happened to which hold
   */
  default void leaseChanged(LeaseChange event) {}
}
