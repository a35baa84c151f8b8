package io.mortise.internal.engine;

import io.mortise.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lease as a lock of several uses it. These futures complete where the answer arrives, so nothing
 * that blocks may hang on them; and whoever waits for them does not need the executor, on which it
 * may be itself.
 */
public interface MemberLease extends Lease {
  /** As {@link #extendAsync}. */
  CompletableFuture<Boolean> extending(Duration lease);

  /** As {@link #extending}, and from now on it is renewed. */
  CompletableFuture<Boolean> renewing(Duration lease);

  /**
   * Makes it a part of a majority's lease: from now on it ends earlier than in the store, by as
   * much as clocks may drift apart.
   *
   * @param owner the thread that holds the whole, after whose end it is renewed no more; null for
   *     nobody in particular
   */
  void joinMajority(@Nullable Thread owner);

  /** As {@link #releaseAsync}. */
  CompletableFuture<Void> releasing();
}
