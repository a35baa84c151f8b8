package io.mortise.engine;

import io.mortise.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A lease as a lock of several uses it. These futures complete where the answer arrives, so nothing
 * that blocks may hang on them; and whoever waits for them does not need the executor, on which it
 * may be itself.
 */
public interface MemberLease extends Lease {
  /** As {@link #extendAsync}. */
  CompletableFuture<Boolean> extending(Duration lease);

  /** As {@link #releaseAsync}. */
  CompletableFuture<Void> releasing();
}
