package io.mortise.internal.engine;

/** How long a request for a lock or lease waits. */
enum Patience {
  /** It does not wait. */
  NONE,
  /** It does not wait, and one command asks for other locks too (see {@link Batch}). */
  TOGETHER,
  /** It waits for a limited time. */
  LIMITED,
  /** It waits without end. */
  UNLIMITED;

  /**
   * Whether the request asks again after a command that failed, or whose answer came too late.
   *
   * <ul>
   *   <li>An attempt that does not wait fails at once.
   *   <li>A wait with a time limit goes on until its end.
   *   <li>A wait without a limit fails at once if the store certainly does not know its id. Else
   *       the id may be in the queue, and the wait goes on for one lease time.
   * </ul>
   *
   * @param mayBeKnown whether the store may know its id
   * @param failingFor for how long commands have failed (ns)
   * @param lease the lease time of the service (ns)
   */
  boolean asksAgain(boolean mayBeKnown, long failingFor, long lease) {
    return this == LIMITED || (this == UNLIMITED && mayBeKnown && failingFor < lease);
  }
}
