package io.mortise.internal.lock;

import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.PendingTry;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lock of one service, and what a lock made of several must know of it. */
public interface Member extends LeasedLock, LeaseSource {
  @Override
  Member withLease(Duration lease);

  /** As {@link #withLease(Duration)}, so that a message shows what the caller gave. */
  Member withLease(long lease, TimeUnit unit);

  /** Begins an attempt as {@link #tryLock()} makes one. */
  PendingTry begin();

  /**
   * Which lock this is: endpoint, key, service. The same for all its handles, and ordered alike in
   * processes that name the endpoints alike.
   */
  String place();

  /** Whether acquisitions through this handle are renewed until released. */
  boolean isRenewed();

  /** The lease that acquisitions through this handle ask for. */
  Duration lease();

  /**
   * Asks the server who it is.
   *
   * @return what differs between two servers and two starts of one; empty if it does not say
   */
  CompletableFuture<String> server();

  /** The time this lock's service follows. */
  TimeSource time();

  /** Runs what is the application's. */
  Executor executor();

  /** Throws {@link LockServiceClosedException} if this lock's service is closed. */
  void checkOpen();

  /**
   * Runs a task when this lock's service is closed; at once if it is closed already.
   *
   * @param task on any thread; must not block
   */
  Registration onClose(Runnable task);

  /** Which threads hold locks made of several, of which this is the first. */
  ThreadLeases threadLeases();

  /** The thread that lost this acquisition and has not unlocked since. */
  @Nullable Thread loserOf(String acquisitionId);
}
