package io.mortise.backend.support;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Thread pools and checks of threads. */
public final class Threads {
  private Threads() {}

  /** How long {@link #end} waits for tasks to end by themselves, and again after an interrupt. */
  private static final Duration PATIENCE = Duration.ofMillis(500);

  /**
   * A pool of daemon threads. A thread ends after two idle seconds; the next task starts a new one.
   * It inherits no thread locals, and its class loader is this library's. A web server that is
   * stopped would take a thread with the class loader of its application for one that was
   * forgotten. A task for which no thread can be made stays, although {@code execute} throws an
   * Error: it runs with the next task. It may give something back. After {@link #end}, {@code
   * execute} runs a task on the thread of the caller, so that a call learns that its backend is
   * closed.
   *
   * @param name the name of every thread
   * @param most the largest number of threads; further tasks wait
   * @return the pool
   */
  public static ScheduledThreadPoolExecutor daemons(String name, int most) {
    return new Pool(name, most);
  }

  /**
   * Ends pools. Tasks that wait for a time are dropped, and all others run: one may return what it
   * has of a pool of the application. Waits for their end at most a second, and not for a pool
   * whose thread is the caller. Interrupts do not end the wait.
   *
   * @param pools from {@link #daemons}
   */
  public static void end(Collection<ScheduledThreadPoolExecutor> pools) {
    pools.forEach(Threads::shutDown);
    boolean interrupted = awaitEnd(pools);
    pools.forEach(pool -> ((Pool) pool).threads.forEach(Thread::interrupt));
    if (awaitEnd(pools) || interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void shutDown(ScheduledThreadPoolExecutor pool) {
    for (Runnable each : pool.getQueue()) {
      if (each instanceof ScheduledFuture<?> task && task.getDelay(TimeUnit.NANOSECONDS) > 0) {
        task.cancel(false);
      }
    }
    pool.shutdown();
  }

  /** Returns whether the caller was interrupted meanwhile. */
  private static boolean awaitEnd(Collection<ScheduledThreadPoolExecutor> pools) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    boolean interrupted = false;
    for (ScheduledThreadPoolExecutor pool : pools) {
      boolean waits = !(Thread.currentThread() instanceof Daemon self && self.pool == pool);
      while (waits) {
        try {
          pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          for (Thread each : ((Pool) pool).threads) { // the last ones are still about to end
            each.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
          }
          waits = false;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    return interrupted;
  }

  private static final class Pool extends ScheduledThreadPoolExecutor {
    /** Those that have not ended, and perhaps some that have. */
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    Pool(String name, int most) {
      super(most);
      setThreadFactory(task -> known(new Daemon(task, name, this)));
      setRemoveOnCancelPolicy(true);
      setKeepAliveTime(2, TimeUnit.SECONDS);
      allowCoreThreadTimeOut(true);
    }

    private Thread known(Thread next) {
      threads.removeIf(each -> each.getState() == Thread.State.TERMINATED);
      threads.add(next);
      return next;
    }

    /** A pool that ends while a task is on its way cancels the task, and throws nothing. */
    @Override
    public void execute(Runnable task) {
      boolean dropped;
      try {
        dropped = schedule(task, 0, TimeUnit.NANOSECONDS).isCancelled();
      } catch (RejectedExecutionException e) {
        dropped = true;
      }
      if (dropped) {
        task.run();
      }
    }
  }

  private static final class Daemon extends Thread {
    private final Pool pool;

    Daemon(Runnable task, String name, Pool pool) {
      super(null, task, name, 0, false);
      this.pool = pool;
      setDaemon(true);
      setContextClassLoader(Threads.class.getClassLoader());
    }
  }

  /**
   * Whether the calling thread belongs to a pool of that name.
   *
   * @param name from {@link #daemons}
   * @return false for every thread that was not made by {@link #daemons}
   */
  public static boolean isIn(String name) {
    return Thread.currentThread() instanceof Daemon self && self.getName().equals(name);
  }

  /**
   * Whether the calling thread is virtual. All virtual threads share one thread group, and Java 17
   * has no other sign of them.
   *
   * @return true if an interrupt would close a socket that the thread reads
   */
  public static boolean isVirtual() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    return group != null && "VirtualThreads".equals(group.getName());
  }
}
