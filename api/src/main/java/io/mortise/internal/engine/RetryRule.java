package io.mortise.internal.engine;

/**
 * The rule whether a wait asks again after a command that failed.
 *
 * <ul>
 *   <li>An attempt that does not wait fails at once.
 *   <li>A wait with a time limit goes on until its end.
 *   <li>A wait without a limit fails at once if the store certainly does not know its id. Else the
 *       id may be in the queue, and the wait goes on for one lease time.
 * </ul>
 */
final class RetryRule {
  private RetryRule() {}

  /**
   * Whether to ask again.
   *
   * @param waits whether it waits at all
   * @param limited whether it has a time limit, which is not over
   * @param mayBeKnown whether the store may know its id
   * @param failingFor how long commands have failed (ns)
   * @param lease the lease time of the service (ns)
   */
  static boolean asksAgain(
      boolean waits, boolean limited, boolean mayBeKnown, long failingFor, long lease) {
    return waits && (limited || (mayBeKnown && failingFor < lease));
  }
}
