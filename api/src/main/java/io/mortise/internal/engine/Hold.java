package io.mortise.internal.engine;

import org.jspecify.annotations.Nullable;

/** One thread's hold of a lock, however deeply nested. The count belongs to that thread alone. */
public final class Hold {
  /** Where it is to be ended. */
  interface Place {
    /**
     * Ends the calling thread's outermost hold.
     *
     * @return whether it was still held
     */
    boolean exit(Hold own);
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

  /** Its fencing token; 0 if the lock was not taken as a fenced one. */
  public long token() {
    return token;
  }

  /**
   * Ends it, the outermost level.
   *
   * @return whether it was still held
   */
  public boolean end() {
    return place.exit(this);
  }

  public Thread thread() {
    return thread;
  }

  @SuppressWarnings("ReferenceEquality") // a thread is itself, whatever its class says of equals
  boolean isOf(Thread other) {
    return thread == other;
  }

  public Acquisition acquisition() {
    return acquisition;
  }

  public long since() {
    return since;
  }

  /** Before it is known to anybody: what is told of it. */
  void tellBy(HoldEvents told) {
    events = told;
  }

  /** What is told of it; null if nobody listens. */
  @Nullable HoldEvents events() {
    return events;
  }

  public int count() {
    return count;
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
