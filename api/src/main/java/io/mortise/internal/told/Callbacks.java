package io.mortise.internal.told;

import io.mortise.internal.concurrent.Trampoline;
import io.mortise.spi.TimeSource;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs code of the application: listeners, and what depends on futures. Every way to such code ends
 * here, so it never runs on the timer that all services of the JVM share, and an executor that
 * fails stops nothing. Thread-safe.
 */
public final class Callbacks {
  private static final Logger log = LoggerFactory.getLogger(Callbacks.class);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private final @Nullable Executor given;
  private final ThreadPoolExecutor own;
  private final AtomicBoolean complained = new AtomicBoolean();

  /** Whether a timer will start the own thread. */
  private final AtomicBoolean startsLater = new AtomicBoolean();

  /**
   * @param given the application's executor; null for one daemon thread
   */
  public Callbacks(@Nullable Executor given) {
    this(given, Callbacks::newThread);
  }

  Callbacks(@Nullable Executor given, ThreadFactory threads) {
    this.given = given;
    own = oneThread(threads);
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(null, task, "mortise-events", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(Callbacks.class.getClassLoader());
    return thread;
  }

  /** One thread, which ends when it is idle. Listeners hear events in their order. */
  private static ThreadPoolExecutor oneThread(ThreadFactory threads) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Runs a task, after the step that the calling thread may be in. Never throws. */
  public void execute(Runnable task) {
    Executor executor = given;
    if (executor == null) {
      onOwn(() -> Trampoline.callback(task));
    } else if (TimeSource.isOnTimer()) {
      onOwn(() -> give(executor, task)); // an executor may run it in place
    } else {
      give(executor, task);
    }
  }

  private void give(Executor executor, Runnable task) {
    AtomicBoolean begun = new AtomicBoolean();
    Runnable once =
        () -> {
          if (!begun.getAndSet(true)) {
            Trampoline.callback(() -> Trampoline.guarded(task));
          }
        };
    try {
      executor.execute(once);
    } catch (Throwable e) { // an Error too: what the task tells must not depend on it
      complain(e);
      onOwn(once);
    }
  }

  /** The task is in the queue first. So it is not lost if there is no thread for it yet. */
  private void onOwn(Runnable task) {
    own.getQueue().add(task);
    start();
  }

  /** Starts the own thread. If that fails, each later task tries it again, and so does a timer. */
  private void start() {
    try {
      boolean unused = own.prestartCoreThread();
    } catch (Throwable e) { // an Error too: no thread can be started
      if (!startsLater.getAndSet(true)) {
        log.error("callbacks wait, as the thread mortise-events cannot be started", e);
        startLater();
      }
    }
  }

  private void startLater() {
    try {
      Timer unused = TimeSource.system().schedule(this::startAgain, PAUSE);
    } catch (Throwable e) { // that needs a thread too
      startsLater.set(false);
    }
  }

  private void startAgain() {
    startsLater.set(false);
    start();
  }

  private void complain(Throwable e) {
    if (!complained.getAndSet(true)) {
      log.error(
          "the executor of the service failed, so its callbacks run on the thread mortise-events; this is not logged again (docs/troubleshooting.md#executor)",
          e);
    }
  }

  /** From now on its thread ends as soon as it is idle. Callbacks that still come up run. */
  public void close() {
    own.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
  }
}
