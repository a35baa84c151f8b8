package io.mortise.internal.engine;

import io.mortise.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lease as a lock of several members uses it. These futures complete on the thread that delivers
 * the reply. So nothing that blocks may depend on them. And a thread that waits for them does not
 * need the executor, on which it may run itself.
 */
public interface MemberLease extends Lease {
  /** As {@link #extendAsync}, without the executor. */
  CompletableFuture<Boolean> extending(Duration lease);

  /** As {@link #extending}, and from now on the lease is renewed. */
  CompletableFuture<Boolean> renewing(Duration lease);

  /**
   * How long it is until it is lost, if the store says nothing: as {@link #remaining}, or longer.
   */
  Duration untilLost();

  /**
   * Whether it is held. If only the store can say so, it is asked. The future does not fail, and
   * completes on the thread that delivers the reply.
   */
  CompletableFuture<Boolean> settling();

  /**
   * Makes it a part of a majority's lease: from now on it ends earlier than in the store, by as
   * much as the clocks may drift apart.
   *
   * @param owner the thread that holds the whole, after whose end it is renewed no more; null if
   *     the whole is bound to no thread
   */
  void joinMajority(@Nullable Thread owner);

  /**
   * Makes it a part of a lease of several locks, so that of their losses listeners can tell the
   * first.
   *
   * @param whole the same object for all members of that lease, and for no other lease
   */
  void joins(Object whole);

  /** It is meant to be held for long, so the log does not warn that it was. */
  void staysLong();

  /**
   * As {@link #releaseAsync} or {@link #closeAfter}, without the executor.
   *
   * @param rest how long the lock must not be free yet (ns); 0 to release it at once
   */
  CompletableFuture<Void> releasing(long rest);
}
