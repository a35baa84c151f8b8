package io.mortise.shedlock;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.spi.TimeSource;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of one run of a job: a renewed lease that is given back when its time is up.
 * Thread-safe.
 *
 * <p>The lease has no {@code withMaxHold}, because that limit is firm, and a job may ask for more
 * time. So the limit is kept here. Exactly one call of {@link #unlock} or {@link #timeUp} ends the
 * hold. Until then the lease is renewed, so a timer that is late does not let anybody else in.
 */
final class JobHold {
  private static final Logger LOG = LoggerFactory.getLogger(JobHold.class);

  /** The lease that is asked for if only the store can say that the lock is held. */
  private static final Duration ASKED = Duration.ofSeconds(30);

  private final Lease lease;

  // Guarded by this
  private Duration atMost = Duration.ZERO;
  private long end = System.nanoTime();
  private boolean over;

  /** Fires when the time is up. It is closed when that does not matter any more. */
  private TimeSource.Timer timer = () -> {};

  private JobHold(Lease lease) {
    this.lease = lease;
  }

  static JobHold of(Lease lease, Duration atMost) {
    JobHold hold = new JobHold(lease);
    hold.setTime(atMost);
    return hold;
  }

  /**
   * Lets the hold last that long from now.
   *
   * @return false if it is over, or only the store can say and does not answer
   */
  boolean extend(Duration atMost) {
    if (hasEnded()) {
      timeUp();
      return false;
    }
    return isHeld() && setTime(atMost);
  }

  private boolean isHeld() {
    try {
      return lease.isValid() || (isKnownHeld() && lease.extend(ASKED));
    } catch (LockException e) {
      LOG.debug("whether job '{}' still has its lock is not known", Shown.of(lease.name()), e);
      return false;
    }
  }

  /** Whether it is held as far as is known. A lease in doubt is not over. */
  private boolean isKnownHeld() {
    LeaseState known = lease.state();
    return known == LeaseState.HELD || known == LeaseState.SUSPECT;
  }

  private synchronized boolean hasEnded() {
    return over || System.nanoTime() - end >= 0;
  }

  private synchronized boolean setTime(Duration next) {
    if (over) {
      return false;
    }
    timer.close();
    atMost = next;
    end = System.nanoTime() + next.toNanos();
    startTimer();
    return true;
  }

  private void startTimer() {
    long left = Math.max(0, end - System.nanoTime());
    timer = TimeSource.system().schedule(this::timeUp, Duration.ofNanos(left));
  }

  /**
   * Releases the lock of a job that still runs, unless it was given more time meanwhile. If the
   * lock was lost before, the unlock tells why.
   */
  private void timeUp() {
    Duration length;
    synchronized (this) {
      if (over || System.nanoTime() - end < 0 || !isKnownHeld()) {
        return;
      }
      over = true;
      length = atMost;
    }
    CompletableFuture<Void> unused = lease.releaseAsync();
    tell(length);
  }

  /**
   * All services share the thread of the timer. So the log, which is the application's code, is
   * written on another one. That may be late.
   */
  private void tell(Duration length) {
    CompletableFuture<Void> unused =
        CompletableFuture.runAsync(() ->
            LOG.warn(
                "job '{}' has run for longer than its lockAtMostFor {}; its lock is released, and its unlock will throw (docs/migrating-from-shedlock.md#too-long)",
                Shown.of(lease.name()),
                length));
  }

  /**
   * Ends the hold. The lock is not free before some more time has passed. If the lease refuses,
   * such as on a thread that must not wait, the hold goes on, and so does its timer.
   *
   * @throws LeaseLostException it had ended before
   */
  void unlock(Duration after) {
    if (!end()) {
      throw new LeaseLostException(
          "job '%s' ran for longer than its lockAtMostFor, so its lock was released before it had ended; others may have held the lock since; give it more time, or extend the lock (docs/migrating-from-shedlock.md#too-long)"
              .formatted(Shown.of(lease.name())));
    }
    try {
      lease.closeAfter(after);
    } finally {
      if (isKnownHeld()) {
        goOn();
      }
    }
  }

  private synchronized void goOn() {
    over = false;
    startTimer();
  }

  synchronized boolean isOver() {
    return over;
  }

  private synchronized boolean end() {
    boolean wasHeld = !over;
    over = true;
    timer.close();
    return wasHeld;
  }
}
