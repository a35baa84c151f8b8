package io.mortise.engine;

import io.mortise.LeasedLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock of one service, and what a lock made of several must know of it. */
public interface Member extends LeasedLock {
  @Override
  Member withLease(Duration lease);

  /** As {@link #withLease(Duration)}, so that a message shows what the caller gave. */
  Member withLease(long lease, TimeUnit unit);

  /**
   * Which lock this is: endpoint, key, service. The same for all its handles, and ordered alike in
   * processes that name the endpoints alike.
   */
  String place();

  /** Whether acquisitions through this handle are renewed until released. */
  boolean isRenewed();

  /** Monotonic time of this lock's service. */
  long now();

  /** The thread that lost this acquisition and has not unlocked since. */
  @Nullable Thread loserOf(String acquisitionId);
}
