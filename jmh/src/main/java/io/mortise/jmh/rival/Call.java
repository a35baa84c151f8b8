package io.mortise.jmh.rival;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread for one action. It reports when and how the action ended. */
final class Call {
  /** The action of the thread. */
  interface Action {
    void run() throws Exception;
  }

  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Throwable failure;
  private volatile long end;

  private Call(Action action) {
    thread = new Thread(() -> run(action), "rivals-call");
    thread.setDaemon(true);
  }

  static Call start(Action action) {
    Call call = new Call(action);
    call.thread.start();
    return call;
  }

  private void run(Action action) {
    try {
      action.run();
    } catch (Throwable e) {
      failure = e;
    } finally {
      end = System.nanoTime();
      ended.countDown();
    }
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Waits for the end. Returns whether it came in time. */
  boolean endsWithin(Duration patience) throws InterruptedException {
    return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** The time from that moment to the end, or to now if the action still runs. */
  double secondsSince(long start) {
    return ((hasEnded() ? end : System.nanoTime()) - start) / 1e9;
  }

  @Nullable Throwable failure() {
    return failure;
  }

  /** The outcome as text, such as "threw IllegalStateException". */
  String outcome() {
    Throwable thrown = failure;
    if (!hasEnded()) {
      return "did not end";
    }
    return thrown == null ? "returned" : "threw `" + thrown.getClass().getSimpleName() + "`";
  }
}
