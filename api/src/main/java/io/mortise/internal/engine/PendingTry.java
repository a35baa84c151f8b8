package io.mortise.internal.engine;

/**
 * An attempt to lock for the calling thread, whose command is out. One thread begins and finishes
 * it, so that the thread can have several attempts out at a time.
 */
public interface PendingTry {
  /**
   * Waits for the reply. Call it exactly once, whatever the outcome of other attempts.
   *
   * @return whether the calling thread has the lock
   */
  boolean finish();
}
