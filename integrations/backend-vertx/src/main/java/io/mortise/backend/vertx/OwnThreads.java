package io.mortise.backend.vertx;

import io.mortise.backend.support.Waits;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one Vert.x: its event loop, the thread that watches it, and those that exist for a
 * moment at its end. Vert.x hands out none of them. So all are made in a thread group, which they
 * inherit from each other. Java 17 keeps each group for good, and therefore groups are used again.
 * Thread-safe.
 */
final class OwnThreads {
  private static final Queue<ThreadGroup> FREE = new ConcurrentLinkedQueue<>();

  private final ThreadGroup group;

  OwnThreads() {
    ThreadGroup used = FREE.poll();
    group = used == null ? new ThreadGroup("mortise-vertx") : used;
  }

  /** Runs a task on a thread that has nothing of the caller's, and waits for it. */
  <T> T call(Supplier<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread = new Thread(group, () -> complete(result, task), "mortise-vertx", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(OwnThreads.class.getClassLoader());
    thread.start();
    return Waits.join(result);
  }

  private static <T> void complete(CompletableFuture<T> result, Supplier<T> task) {
    try {
      result.complete(task.get());
    } catch (Throwable e) { // an error too: somebody waits
      result.completeExceptionally(e);
    }
  }

  /** Whether the calling thread is one of them. */
  boolean isOne() {
    return Thread.currentThread().getThreadGroup() == group;
  }

  /**
   * Waits for the end of all threads. Interrupts do not end the wait.
   *
   * @param end how long at most ({@link System#nanoTime})
   */
  void awaitEnd(long end) {
    boolean interrupted = false;
    Thread one = any();
    for (long left = 1; one != null && left > 0; one = any()) {
      left = end - System.nanoTime();
      try {
        one.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (one == null) {
      FREE.add(group);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** One of Vert.x's. Netty and this library have threads for the whole JVM, which stay. */
  private @Nullable Thread any() {
    Thread[] some = new Thread[group.activeCount() + 16];
    return Arrays.stream(some, 0, group.enumerate(some))
        .filter(each -> each.getName().startsWith("vert"))
        .findAny()
        .orElse(null);
  }
}
