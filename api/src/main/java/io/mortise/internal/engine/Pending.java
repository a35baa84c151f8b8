package io.mortise.internal.engine;

/**
 * What a thread has begun at the store: an attempt to lock, or a release. The same thread finishes
 * it. So a thread can have several commands out at a time, or one for many names.
 */
public interface Pending {
  /**
   * Waits for the reply. Call it exactly once, whatever the outcome of others.
   *
   * @return whether the calling thread has the lock, or had it until its release
   */
  boolean finish();
}
