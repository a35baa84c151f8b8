package io.mortise.annotations.internal;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads on which work of the application goes on, which may block. The service's callbacks must
 * not wait for it. The common pool may be full of other blocked work, and has one thread on a
 * machine with two cores.
 */
public final class BlockingThreads {
  private BlockingThreads() {}

  /**
   * Daemon threads, which end when they are idle. They have no limit: a task may wait for another
   * one, and with a limit, as many such waits as threads would never end.
   */
  public static ExecutorService named(String name) {
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads(name));
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger made = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(null, task, name + '-' + made.incrementAndGet(), 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(BlockingThreads.class.getClassLoader());
      return thread;
    };
  }
}
