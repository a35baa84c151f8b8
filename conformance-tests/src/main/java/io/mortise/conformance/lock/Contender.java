package io.mortise.conformance.lock;

import io.mortise.conformance.support.Await;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A thread that tries to get into a lock, stays inside until told to leave, and tells how it went.
 */
final class Contender {
  /** How it locks. */
  interface Way {
    /** Returns whether the lock was acquired. */
    boolean acquire() throws InterruptedException;
  }

  /** So often in a row a thread must be seen at rest: it may wait for a moment on its way. */
  private static final int LOOKS = 3;

  private final Thread thread;
  private final CountDownLatch mayLeave = new CountDownLatch(1);
  private volatile @Nullable Boolean acquired;
  private volatile @Nullable Throwable failure;
  private volatile boolean interruptedAfter;
  private volatile @Nullable Runnable atLeaving;

  private Contender(Way way) {
    thread = new Thread(() -> run(way), "contender");
    thread.setDaemon(true);
  }

  /** Starts one that locks, and waits until it stands in line, is inside, or has failed. */
  static Contender start(Way way) {
    Contender contender = startBusy(way);
    contender.awaitRest(); // one look may meet it on its way, at a mutex
    return contender;
  }

  /** Starts one that may stay busy for long. */
  static Contender startBusy(Way way) {
    Contender contender = new Contender(way);
    contender.thread.start();
    return contender;
  }

  private void run(Way way) {
    try {
      boolean result = way.acquire();
      interruptedAfter = Thread.interrupted();
      acquired = result;
      if (result) {
        mayLeave.await();
        Runnable last = atLeaving;
        if (last != null) {
          last.run();
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Waits until it waits again or is done, before time passes for it. */
  void awaitRest() {
    int[] seen = new int[1];
    Await.until(
        "the contender rests", () -> (seen[0] = isDone() || isParked() ? seen[0] + 1 : 0) == LOOKS);
  }

  private boolean isParked() {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  private boolean isDone() {
    return acquired != null || failure != null;
  }

  Thread thread() {
    return thread;
  }

  boolean isInside() {
    return Boolean.TRUE.equals(acquired);
  }

  boolean wasInterruptedAfter() {
    return interruptedAfter;
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Whether it got the lock; throws if it failed. */
  boolean result() {
    Await.until("the contender is done", this::isDone);
    Throwable why = failure;
    if (why != null) {
      throw new AssertionError("the contender failed", why);
    }
    return isInside();
  }

  /** What it failed with, or null: it got the lock, or did not. */
  @Nullable Throwable ended() {
    Await.until("the contender is done", this::isDone);
    return failure;
  }

  /** What it failed with. */
  Throwable failure() {
    Await.until("the contender is done", this::isDone);
    Throwable why = failure;
    if (why == null) {
      throw new AssertionError("the contender did not fail; acquired: " + acquired);
    }
    return why;
  }

  /** What its stay inside failed with. */
  Throwable failureInside() {
    Await.until("the contender ends", () -> !thread.isAlive());
    return failure();
  }

  /** Lets it run its last action and waits for its end. */
  void leave(Runnable last) {
    atLeaving = last;
    mayLeave.countDown();
    Await.until("the contender ends", () -> !thread.isAlive());
    Throwable why = failure;
    if (why != null) {
      throw new AssertionError("the contender failed", why);
    }
  }
}
