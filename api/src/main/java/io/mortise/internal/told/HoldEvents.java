package io.mortise.internal.told;

import io.mortise.internal.concurrent.Trampoline;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The events of one hold, for listeners, and of the attempt before it if that is for a lease. They
 * come one at a time, in the order in which they were added, and none before the hold's beginning.
 * A thread that adds an event while another one delivers leaves it to that thread, so no thread
 * waits. Thread-safe.
 */
public final class HoldEvents {
  private @Nullable Deque<Runnable> undelivered; // most holds never need it
  private boolean delivering;
  private @Nullable ToldHold hold; // set before other threads can see this object

  private HoldEvents(boolean delivering) {
    this.delivering = delivering;
  }

  /** The events of a hold whose beginning will be told by {@link #began}. */
  public static HoldEvents beginning(ToldHold hold) {
    HoldEvents events = new HoldEvents(true);
    events.hold = hold;
    return events;
  }

  /** Events that are delivered from now on. */
  public static HoldEvents begun() {
    return new HoldEvents(false);
  }

  /** From now on they are those of this hold. */
  public void holds(ToldHold begun) {
    hold = begun;
  }

  /** The hold that they are told of; null if its beginning was not told. */
  public @Nullable ToldHold hold() {
    return hold;
  }

  /** Tells the beginning, and then everything that was added meanwhile. */
  public void began(Runnable event) {
    Trampoline.guarded(event); // or none of those after it would be delivered
    deliverAll();
  }

  /** Delivers on the calling thread, unless another thread delivers. */
  public void post(Runnable event) {
    if (beginDelivery(event)) {
      Trampoline.guarded(event);
      deliverAll();
    }
  }

  /** Returns whether the caller delivers the event now. Else it is left to the one that does. */
  private synchronized boolean beginDelivery(Runnable event) {
    if (delivering) {
      queue().add(event);
      return false;
    }
    delivering = true;
    return true;
  }

  private Deque<Runnable> queue() {
    Deque<Runnable> known = undelivered == null ? new ArrayDeque<>(2) : undelivered;
    undelivered = known;
    return known;
  }

  /** Delivers on the executor, unless another thread delivers. */
  public void post(Executor executor, Runnable event) {
    if (add(event)) {
      executor.execute(this::deliverAll);
    }
  }

  /** Adds an event. Returns whether the caller has to call {@link #deliverAll}. */
  public synchronized boolean add(Runnable event) {
    queue().add(event);
    boolean first = !delivering;
    delivering = true;
    return first;
  }

  public void deliverAll() {
    for (Runnable next = next(); next != null; next = next()) {
      Trampoline.guarded(next);
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = undelivered == null ? null : undelivered.poll();
    delivering = next != null;
    return next;
  }
}
