package io.mortise;

/**
 * A hook for metrics and tracing. The first two methods are called on the thread that locks or
 * unlocks and must not block; {@link #leaseChanged} is called on the service's executor. What a
 * listener throws is logged and has no other effect.
 */
public interface LockListener {
  /**
   * A thread acquired a lock; nested acquisitions are not reported.
   *
   * @param name the lock
   * @param waitedNanos from the call to the acquisition
   * @param remote whether the store was asked; false if another thread of this service handed over
   */
  default void acquired(String name, long waitedNanos, boolean remote) {}

  /**
   * A thread released a lock, or handed it to another thread of this service.
   *
   * @param name the lock
   * @param heldNanos from the acquisition to the release
   */
  default void released(String name, long heldNanos) {}

  /**
   * A hold became suspect, recovered, or was lost.
   *
   * @param event what happened to which hold
   */
  default void leaseChanged(LeaseLost event) {}
}
