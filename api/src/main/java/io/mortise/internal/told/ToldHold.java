package io.mortise.internal.told;

import io.mortise.LockHold;
import io.mortise.internal.wire.Names;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;

/** One hold, as listeners are told of it. It exists only if somebody listens. Thread-safe. */
public final class ToldHold implements LockHold {
  private static final long NOT_ENDED = -1;
  private static final AtomicLongFieldUpdater<ToldHold> HELD =
      AtomicLongFieldUpdater.newUpdater(ToldHold.class, "held");

  private final ToldAttempt attempt;
  private final String holder;
  private final Via via;
  private final long since;
  private volatile long held = NOT_ENDED;
  private boolean left;
  private final @Nullable WaitReply lastWait;

  /**
   * A reply of the store that said to wait.
   *
   * @param serverTime the server's time in it (us)
   * @param at when it came
   * @param roundTrip how long its command took (ns)
   */
  public record WaitReply(long serverTime, long at, long roundTrip) {}

  /**
   * @param lastWait the last such reply before the hold; null if it did not stand in the queue
   */
  public ToldHold(
      ToldAttempt attempt, String holder, Via via, long since, @Nullable WaitReply lastWait) {
    this.attempt = attempt;
    this.holder = holder;
    this.via = via;
    this.since = since;
    this.lastWait = lastWait;
  }

  @Nullable WaitReply lastWait() {
    return lastWait;
  }

  /**
   * Notes that the end is about to be told.
   *
   * @return false if it was noted before
   */
  public boolean ends(long now) {
    return HELD.compareAndSet(this, NOT_ENDED, Math.max(0, now - since));
  }

  /** Its thread hands the acquisition off. From now on a loss of that is none of this hold. */
  public void leaves(long now) {
    left = ends(now);
  }

  /** Whether it has left, and that is not told yet. For its thread alone. */
  public boolean hasLeft() {
    return left;
  }

  @Override
  public ToldAttempt attempt() {
    return attempt;
  }

  @Override
  public String holder() {
    return holder;
  }

  @Override
  public Via via() {
    return via;
  }

  @Override
  public long heldNanos() {
    return Math.max(0, held);
  }

  @Override
  public String toString() {
    return "hold " + holder + " of " + Names.shown(attempt.name());
  }
}
