package io.mortise.backend.vertx;

import io.mortise.backend.support.Waits;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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
    return group.equals(Thread.currentThread().getThreadGroup());
  }

  /**
   * Ends Vert.x. Waits for the end of all its threads, unless the caller is one of them or any
   * event loop.
   */
  void end(Vertx vertx, Duration most) {
    long end = System.nanoTime() + most.toNanos();
    CompletableFuture<List<Thread>> last = new CompletableFuture<>();
    Future<Void> unused =
        call(() -> {
          long first = Thread.currentThread().getId();
          return vertx.close().onComplete(done -> last.complete(madeSince(first)));
        });
    if (isOne() || Context.isOnEventLoopThread()) {
      return;
    }
    if (Waits.awaitEnd(last, most)) {
      last.join().forEach(each -> join(each, end));
    }
    List<Thread> left = of(group);
    left.forEach(each -> join(each, end));
    if (of(group).isEmpty()) {
      FREE.add(group);
    }
  }

  /**
   * The threads on which Vert.x ends itself, called on one of them. A thread of Netty makes the
   * first, so they are in the group of that one. Ids of threads grow.
   */
  private static List<Thread> madeSince(long first) {
    ThreadGroup other = Thread.currentThread().getThreadGroup();
    return of(other).stream().filter(each -> each.getId() > first).toList();
  }

  /** Waits for the end of a thread. Interrupts do not end the wait. */
  private static void join(Thread thread, long end) {
    boolean interrupted = false;
    for (long left = 1; thread.isAlive() && left > 0; left = end - System.nanoTime()) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Those of Vert.x. Netty and this library have threads for the whole JVM, which stay. */
  private static List<Thread> of(ThreadGroup group) {
    Thread[] some = new Thread[group.activeCount() + 16];
    return Arrays.stream(some, 0, group.enumerate(some))
        .filter(each -> each.getName().startsWith("vert"))
        .toList();
  }
}
