package io.mortise.internal.told;

import io.mortise.LockHold;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

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
  private long serverTime;
  private long repliedAt;
  private long roundTrip;

  public ToldHold(ToldAttempt attempt, String holder, Via via, long since) {
    this.attempt = attempt;
    this.holder = holder;
    this.via = via;
    this.since = since;
  }

  /**
   * It stood in the store's queue. Called before it is told.
   *
   * @param time the server's time in the last reply that said so (us)
   * @param at when the reply came
   * @param trip how long that command took (ns)
   */
  public void queued(long time, long at, long trip) {
    serverTime = time;
    repliedAt = at;
    roundTrip = trip;
  }

  /** The server's time in a reply (us); 0 if it did not stand in the store's queue. */
  long serverTime() {
    return serverTime;
  }

  long repliedAt() {
    return repliedAt;
  }

  long roundTrip() {
    return roundTrip;
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
    return "hold " + holder + " of " + attempt.name();
  }
}
