package io.mortise.internal.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs code of the application: listeners, and what depends on futures. Thread-safe. */
final class Callbacks {
  private final Executor executor;
  private final @Nullable ThreadPoolExecutor owned;

  /**
   * @param given the application's executor; null for one daemon thread
   */
  Callbacks(@Nullable Executor given) {
    if (given == null) {
      owned = oneDaemonThread();
      executor = owned;
    } else {
      owned = null;
      executor = given;
    }
  }

  /** One thread, which ends when it is idle. Listeners hear events in their order. */
  private static ThreadPoolExecutor oneDaemonThread() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "mortise-events");
              thread.setDaemon(true);
              return thread;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Runs a task on the executor, or on the calling thread if the executor rejects it. */
  void execute(Runnable task) {
    try {
      submit(task);
    } catch (RejectedExecutionException e) {
      Trampoline.callback(task);
    }
  }

  /** Runs a task on the executor, which may reject it. */
  void submit(Runnable task) {
    executor.execute(() -> Trampoline.callback(task));
  }

  void close() {
    if (owned != null) {
      owned.shutdown();
    }
  }
}
