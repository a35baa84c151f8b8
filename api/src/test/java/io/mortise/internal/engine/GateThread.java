package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** A thread that runs one task after the other, as the test decides. */
final class GateThread {
  private final ExecutorService executor;
  private final Thread thread;

  GateThread(String name) {
    executor =
        Executors.newSingleThreadExecutor(task -> {
          Thread made = new Thread(task, name);
          made.setDaemon(true);
          return made;
        });
    thread = get(does(Thread::currentThread));
  }

  Thread thread() {
    return thread;
  }

  <T> Future<T> does(Callable<T> task) {
    return executor.submit(task);
  }

  /** Starts a task that returns nothing. */
  Future<Boolean> runs(ThrowingRunnable task) {
    return does(() -> {
      task.run();
      return true;
    });
  }

  /** Runs the task and waits for its end. */
  <T> T now(Callable<T> task) {
    return get(does(task));
  }

  /** Evaluates the condition on the thread, and waits for the answer. */
  boolean says(BooleanSupplier question) {
    return now(question::getAsBoolean);
  }

  interface ThrowingRunnable {
    void run() throws Exception;
  }

  static <T> T get(Future<T> task) {
    try {
      return task.get(StubTime.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the thread failed", e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("the thread did not end", e);
    }
  }

  static <E extends Throwable> E failure(Class<E> type, Future<?> task) {
    return assertThrows(
        type,
        () -> {
          try {
            Object unused = task.get(StubTime.PATIENCE.toSeconds(), TimeUnit.SECONDS);
          } catch (ExecutionException e) {
            throw e.getCause();
          }
        });
  }

  /** Lets the thread end, also while it holds the lock. */
  void die() throws InterruptedException {
    executor.shutdown();
    thread.join(StubTime.PATIENCE.toMillis());
  }

  void end() {
    executor.shutdownNow();
  }
}
