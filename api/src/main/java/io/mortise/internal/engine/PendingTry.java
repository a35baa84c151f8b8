package io.mortise.internal.engine;

/**
 * An attempt to lock for the calling thread whose command is out. Begun and finished by one thread,
 * so that it can have several out at a time.
 */
public interface PendingTry {
  /**
   * Waits for the answer. To be called once, whatever becomes of other attempts.
   *
   * @return whether the calling thread has the lock
   */
  boolean finish();
}
