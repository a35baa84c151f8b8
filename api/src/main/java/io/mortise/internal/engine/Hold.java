package io.mortise.internal.engine;

import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.HoldEvents;
import org.jspecify.annotations.Nullable;

/** One thread's hold of a lock, however deeply nested. Only that thread changes the count. */
public final class Hold {
  /** The place that can end the hold. */
  interface Place {
    /**
     * Ends the calling thread's outermost hold.
     *
     * @param now the time, read during this call
     * @param sender how the command is sent, if one is needed
     * @return to be finished; whether it was still held
     */
    Pending exit(Hold own, long now, Store.Sender sender);

    /** Whether no other thread holds by the same acquisition. From now on none will. */
    default boolean isOnly(Hold own) {
      return true;
    }
  }

  private final Place place;
  private final Thread thread;
  private final Acquisition acquisition;
  private final long since;
  private final long token;
  private @Nullable HoldEvents events;
  private int count = 1;

  public Hold(Place place, Thread thread, Acquisition acquisition, long since, long token) {
    this.place = place;
    this.thread = thread;
    this.acquisition = acquisition;
    this.since = since;
    this.token = token;
  }

  /** Its fencing token; 0 if the lock was not acquired as a fenced one. */
  public long token() {
    return token;
  }

  /**
   * Ends it at its outermost level.
   *
   * @param now the time, read by the caller for this call
   * @param sender how the command is sent, if one is needed
   * @return to be finished; whether it was still held
   */
  public Pending end(long now, Store.Sender sender) {
    return place.exit(this, now, sender);
  }

  /** Its lease is over. Returns whether it was held until now. */
  public boolean lose(Loss why) {
    return acquisition.lose(why);
  }

  /** Whether no other thread of this service holds by its acquisition. From now on none will. */
  public boolean isOnly() {
    return place.isOnly(this);
  }

  /** When it ends, the lock must not be free again before that time. */
  public void keepUntil(long end) {
    acquisition.lease().keepUntil(end);
  }

  /** Forgets that time. Returns it; null if there is none. */
  public @Nullable Long forgetKept() {
    return acquisition.lease().forgetKept();
  }

  public Thread thread() {
    return thread;
  }

  @SuppressWarnings(
      "ReferenceEquality") // compares identity, whatever equals of the thread's class says
  boolean isOf(Thread other) {
    return thread == other;
  }

  public Acquisition acquisition() {
    return acquisition;
  }

  public long since() {
    return since;
  }

  /** Sets its events, before any other thread can see the hold. */
  void setEvents(HoldEvents next) {
    events = next;
  }

  /** Its events; null if there is no listener. */
  @Nullable HoldEvents events() {
    return events;
  }

  public int count() {
    return count;
  }

  /** The hold, as its place shows it. */
  Acquisition.Grant.Holder holder() {
    String gone = thread.isAlive() ? null : "ended without unlocking";
    return new Acquisition.Grant.Holder("thread " + thread.getName(), since, gone, thread, count);
  }

  public void enter() {
    if (count == Integer.MAX_VALUE) {
      throw new Error("Maximum lock count exceeded");
    }
    count++;
  }

  /**
   * Leaves one nested level.
   *
   * @return whether that was the outermost
   */
  public boolean exit() {
    return --count == 0;
  }
}
