package io.mortise.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one hold, for the listener. It gets one event at a time, in the order in which they
 * were posted, and none before the hold's beginning. A thread that posts while another one delivers
 * leaves its event to that thread, so no thread waits. Thread-safe.
 */
final class HoldEvents {
  private static final Logger log = LoggerFactory.getLogger(HoldEvents.class);

  private final long since;
  private final Deque<Runnable> undelivered = new ArrayDeque<>(2);
  private boolean delivering;
  private boolean ended;

  private HoldEvents(long since, boolean delivering) {
    this.since = since;
    this.delivering = delivering;
  }

  /** The events of a hold whose beginning will be reported by {@link #began}. */
  static HoldEvents beginning(long since) {
    return new HoldEvents(since, true);
  }

  /** The events of a hold whose beginning is not reported. */
  static HoldEvents begun() {
    return new HoldEvents(0, false);
  }

  long since() {
    return since;
  }

  /** Reports the beginning, and then everything that was posted meanwhile. */
  void began(Runnable event) {
    event.run();
    deliverAll();
  }

  /**
   * Notes that the end is about to be reported.
   *
   * @return false if it was noted before
   */
  synchronized boolean ends() {
    boolean news = !ended;
    ended = true;
    return news;
  }

  /** Delivers on the calling thread, unless another thread delivers. */
  void post(Runnable event) {
    if (add(event)) {
      deliverAll();
    }
  }

  /** Delivers on the executor, unless another thread delivers. */
  void post(Executor executor, Runnable event) {
    if (!add(event)) {
      return;
    }
    try {
      executor.execute(this::deliverAll);
    } catch (RejectedExecutionException e) {
      log.debug("a lease event was not reported: the executor rejected it", e);
      drop(event);
      deliverAll();
    }
  }

  /** Adds an event. Returns whether the caller has to deliver it. */
  private synchronized boolean add(Runnable event) {
    undelivered.add(event);
    boolean first = !delivering;
    delivering = true;
    return first;
  }

  private synchronized void drop(Runnable event) {
    undelivered.remove(event);
  }

  private void deliverAll() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = undelivered.poll();
    delivering = next != null;
    return next;
  }
}
