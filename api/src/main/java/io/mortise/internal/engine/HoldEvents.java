package io.mortise.internal.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is told of one hold: one event at a time, in the order in which they were posted, and none
 * before the beginning has been told. An event that finds another one being told is left to the
 * thread that tells that one, so nobody waits. Thread-safe.
 */
final class HoldEvents {
  private static final Logger log = LoggerFactory.getLogger(HoldEvents.class);

  private final long since;
  private final Deque<Runnable> untold = new ArrayDeque<>(2);
  private boolean telling;
  private boolean ended;

  private HoldEvents(long since, boolean telling) {
    this.since = since;
    this.telling = telling;
  }

  /** Of a hold whose beginning will be told by {@link #began}. */
  static HoldEvents beginning(long since) {
    return new HoldEvents(since, true);
  }

  /** Of a hold whose beginning nobody is told. */
  static HoldEvents begun() {
    return new HoldEvents(0, false);
  }

  long since() {
    return since;
  }

  /** Tells of the beginning, then of all that came meanwhile. */
  void began(Runnable event) {
    event.run();
    tellAll();
  }

  /**
   * Notes that the end is about to be told.
   *
   * @return false if it was before
   */
  synchronized boolean ends() {
    boolean news = !ended;
    ended = true;
    return news;
  }

  /** Tells on the calling thread, if nothing else is being told. */
  void post(Runnable event) {
    if (add(event)) {
      tellAll();
    }
  }

  /** Tells on the executor. */
  void post(Executor executor, Runnable event) {
    if (!add(event)) {
      return;
    }
    try {
      executor.execute(this::tellAll);
    } catch (RejectedExecutionException e) {
      log.debug("nobody was told of a lease: the executor takes no more", e);
      drop(event);
      tellAll();
    }
  }

  /** Whether the caller is the one to tell it. */
  private synchronized boolean add(Runnable event) {
    untold.add(event);
    boolean first = !telling;
    telling = true;
    return first;
  }

  private synchronized void drop(Runnable event) {
    untold.remove(event);
  }

  private void tellAll() {
    for (Runnable next = next(); next != null; next = next()) {
      next.run();
    }
  }

  private synchronized @Nullable Runnable next() {
    Runnable next = untold.poll();
    telling = next != null;
    return next;
  }
}
