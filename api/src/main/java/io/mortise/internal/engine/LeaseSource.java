package io.mortise.internal.engine;

import java.util.concurrent.CompletableFuture;

/** A source of leases that are bound to no thread. */
public interface LeaseSource {
  /**
   * How long to wait: {@code NOT} is for no holder, but for a service that only keeps the lock.
   * {@code AT_ONCE} is not for that either. {@code FOREVER} is without end.
   */
  long NOT = 0;

  long AT_ONCE = -1;

  long FOREVER = Long.MAX_VALUE;

  /**
   * Asks for a lease.
   *
   * @param wait how long to wait (ns), {@link #NOT}, {@link #AT_ONCE} or {@link #FOREVER}
   * @param here whether the calling thread waits for the result. Then it may send the first command
   * @param result completed on any thread, so nothing that blocks may depend on it. If a caller
   *     completes it first, the request is withdrawn, and a lease that arrives later is given back.
   * @return what the calling thread runs before each sleep, if it waits: there may be a lease that
   *     it has to take
   */
  Runnable request(long wait, boolean here, CompletableFuture<LeaseOutcome> result);
}
