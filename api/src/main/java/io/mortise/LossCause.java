package io.mortise;

/** Why a hold was lost. */
public enum LossCause {
  /**
   * Its fixed lease ended, or this process was stopped for so long that no renewal was answered.
   */
  EXPIRED,
  /** A {@code forceUnlock()} or {@code forceRelease()} ended it. */
  FORCED,
  /** Its key was deleted in the store, or belongs to another acquisition. */
  KEY_GONE,
  /**
   * It lasted as long as {@link LockService.Builder#maxHold} or {@link LeasedLock#withMaxHold}
   * allows.
   */
  MAX_HOLD,
  /**
   * Its thread ended without unlocking, or its lease was dropped without being closed. So it was
   * renewed no more.
   */
  OWNER_DIED,
  /**
   * No renewal succeeded before its lease ended: the store did not answer or refused, or too few
   * replicas confirmed.
   */
  UNREACHABLE,
  /** Its service was closed while it was held. */
  SERVICE_CLOSED
}
