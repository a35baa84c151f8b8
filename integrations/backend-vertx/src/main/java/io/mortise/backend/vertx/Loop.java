package io.mortise.backend.vertx;

import io.mortise.backend.support.Waits;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.TimeSource;
import io.mortise.spi.internal.Shown;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The event loop on which all connections of a backend live, of a Vert.x of its own or of the
 * application's. Thread-safe.
 */
final class Loop extends ForwardingTime {
  /** How long the end of connections and threads may take that is waited for. */
  static final Duration LONGEST_END = Duration.ofSeconds(1);

  private static final Duration LONGEST_START = Duration.ofSeconds(30);

  final Vertx vertx;
  private final Context context;

  /** Null if Vert.x is the application's, which never ends here. */
  private final @Nullable OwnThreads own;

  private Loop(Vertx vertx, @Nullable OwnThreads own) {
    this.vertx = vertx;
    this.own = own;
    context = vertx.getOrCreateContext();
  }

  /** An event loop of the application's Vert.x. The caller may be on a worker, which has none. */
  static Loop of(Vertx given) {
    return Waits.join(
        CompletableFuture.supplyAsync(() -> new Loop(given, null), Loop::onAnotherThread));
  }

  private static void onAnotherThread(Runnable task) {
    Thread thread = new Thread(task, "mortise-vertx");
    thread.setDaemon(true);
    thread.start();
  }

  /** Runs a task that may wait. It runs on another thread if the caller is any event loop. */
  static void mayWait(Runnable task) {
    if (Context.isOnEventLoopThread()) {
      onAnotherThread(task);
    } else {
      task.run();
    }
  }

  /** An event loop of its own. */
  static Loop start() {
    OwnThreads threads = new OwnThreads();
    return threads.call(() -> {
      Vertx made = Vertx.vertx(options());
      CompletableFuture<?> started = new CompletableFuture<>();
      Loop loop = new Loop(made, threads);
      loop.run(() -> started.complete(null)); // starts the thread, here
      boolean unused = Waits.awaitEnd(started, LONGEST_START);
      return loop;
    });
  }

  private static VertxOptions options() {
    return new VertxOptions()
        .setUseDaemonThread(true)
        .setEventLoopPoolSize(1)
        .setWorkerPoolSize(1)
        .setInternalBlockingPoolSize(1)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false));
  }

  /**
   * Runs a task on the event loop, after all that were given before by this thread.
   *
   * @throws RejectedExecutionException Vert.x was closed
   */
  void run(Runnable task) {
    context.runOnContext(ignored -> task.run());
  }

  @Override
  protected TimeSource target() {
    return TimeSource.system();
  }

  /**
   * Refuses each event loop of any Vert.x: one may read the connections of another Vert.x's backend
   * that is needed for the reply.
   */
  @Override
  public void checkMayPark() {
    requireMayWait();
  }

  static void requireMayWait() {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException(
          "the thread %s must not wait here: it is an event loop of Vert.x; use async(), a method whose name ends in Async, or another thread"
              .formatted(Shown.thisThread()));
    }
  }

  /** Ends Vert.x, if it is the backend's own. Waits at most a second, and not on an event loop. */
  void close() {
    if (own != null) {
      own.end(vertx, LONGEST_END);
    }
  }
}
