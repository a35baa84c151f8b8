package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The story of each lock at DEBUG, under one logger name: queued, granted, acquired, handed off,
 * released, lost. When it is off, each event costs one check of the level.
 */
public final class LockLog {
  /** The logger that a user switches on; see docs/troubleshooting.md#story. */
  static final String NAME = "io.mortise.locks";

  private static final Logger log = LoggerFactory.getLogger(NAME);

  /** From this delay on, a late timed wait is logged (ns). */
  private static final long LATE = TimeUnit.SECONDS.toNanos(1);

  private LockLog() {}

  static boolean isOn() {
    return log.isDebugEnabled();
  }

  /** The store has put the acquisition into the queue, for the first time. */
  static void queued(Acquisition waiting, long left) {
    if (log.isDebugEnabled()) {
      String lease = left < 0 ? "" : "; the lease of the holder ends in " + left + " ms";
      log.debug("{}: {} is queued{}", waiting.keys().text(), waiting.id(), lease);
    }
  }

  /** The store has granted the lock to an acquisition that waited. */
  static void granted(Acquisition waiting, String how) {
    if (log.isDebugEnabled()) {
      log.debug("{}: granted to {} {}", waiting.keys().text(), waiting.id(), how);
    }
  }

  public static void acquired(Hold hold, Waiter waiter) {
    if (log.isDebugEnabled()) {
      log.debug(
          "{}: acquired by {} {} after {} ms, as {}",
          hold.acquisition().keys().text(),
          thread(hold),
          waiter.isRemote() ? "from the store" : "inside this process",
          millis(hold.since() - waiter.start()),
          hold.acquisition().id());
    }
  }

  /** A lease that is bound to no thread was acquired. */
  public static void acquired(Acquisition held, long waited) {
    if (log.isDebugEnabled()) {
      log.debug(
          "{}: acquired as a lease after {} ms, as {}",
          held.keys().text(),
          millis(waited),
          held.id());
    }
  }

  /** A timed wait ended more than a second late, with or without the lock. */
  public static void late(LockKeys keys, Waiter waiter, long now) {
    long late = waiter.late(now);
    if (late > LATE) {
      log.warn(
          "{}: a timed wait of thread {} ended {} ms after its deadline, {} ms after its call; it was woken {} ms after its deadline, and the rest went by until replies came (docs/troubleshooting.md#late-wait)",
          keys.text(),
          Names.shown(waiter.thread()),
          millis(late),
          millis(now - waiter.start()),
          millis(waiter.overslept()));
    }
  }

  /** A wait got the lock when its lease had ended, for the first time. */
  static void tooLate(LockKeys keys, LockException why) {
    log.warn("{} is asked for again: {}", keys.text(), why.getMessage());
  }

  public static void refused(LockKeys keys, Waiter waiter, long now) {
    if (log.isDebugEnabled()) {
      log.debug(
          "{}: not acquired by thread {} within {} ms",
          keys.text(),
          Names.shown(waiter.thread()),
          millis(now - waiter.start()));
    }
  }

  /** The hold was handed off to another thread of this service, without a command. */
  static void handedOff(Hold hold, long now) {
    unlocked("{}: handed off inside this process by {} after {} ms", hold, now);
  }

  /** No thread has the hold any more, and the service retains it. */
  static void retained(Hold hold, long now) {
    unlocked("{}: unlocked by {} after {} ms, and retained by this process", hold, now);
  }

  /** It must not be kept for other threads, since nothing would end that. */
  static void noTimer(Acquisition held, Throwable why) {
    log.warn("{}: goes back to the store at once, as no timer can be set", held.keys().text(), why);
  }

  static void released(Hold hold, long now) {
    unlocked("{}: released by {} after {} ms", hold, now);
  }

  /** Permits went from one lease to the next inside this service, without a command. */
  static void handedOff(Acquisition held, long heldFor) {
    ended("{}: {} handed off inside this process after {} ms", held, heldFor);
  }

  /** A lease that is bound to no thread was released. */
  static void released(Acquisition held, long heldFor) {
    ended("{}: {} released after {} ms", held, heldFor);
  }

  static void lost(Acquisition lost, String reason) {
    if (log.isDebugEnabled()) {
      log.debug("{}: {} is lost: {}", lost.keys().text(), lost.id(), reason);
    }
  }

  private static void unlocked(String message, Hold hold, long now) {
    if (log.isDebugEnabled()) {
      String lock = hold.acquisition().keys().text();
      log.debug(message, lock, thread(hold), millis(now - hold.since()));
    }
  }

  private static void ended(String message, Acquisition held, long heldFor) {
    if (log.isDebugEnabled()) {
      log.debug(message, held.keys().text(), held.id(), millis(heldFor));
    }
  }

  private static String thread(Hold hold) {
    return "thread " + Names.shown(hold.thread());
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
