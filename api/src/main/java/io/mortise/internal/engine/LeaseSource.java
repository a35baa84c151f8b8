package io.mortise.internal.engine;

import java.util.concurrent.CompletableFuture;

/** Gives out leases that are bound to no thread. */
public interface LeaseSource {
  /** How long to wait: not at all, or without end. */
  long NOT = 0;

  long FOREVER = Long.MAX_VALUE;

  /**
   * Claims a lease.
   *
   * @param wait how long to wait (ns), {@link #NOT} or {@link #FOREVER}
   * @param claimed completed on any thread, so nothing that blocks may hang on it; whoever else
   *     completes it withdraws the claim, and what arrives all the same is given back
   */
  void claim(long wait, CompletableFuture<LeaseOutcome> claimed);

  /** The same for a caller that waits: its thread may send the first command. */
  default void claimHere(long wait, CompletableFuture<LeaseOutcome> claimed) {
    claim(wait, claimed);
  }
}
