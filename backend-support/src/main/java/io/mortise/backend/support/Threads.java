package io.mortise.backend.support;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Thread pools and checks of threads. */
public final class Threads {
  private Threads() {}

  /**
   * A pool of daemon threads. A thread ends after two idle seconds; the next task starts a new one.
   * It inherits no thread locals, and its class loader is this library's. A web server that is
   * stopped would take a thread with the class loader of its application for one that was
   * forgotten.
   *
   * @param name the name of every thread
   * @param most the largest number of threads; further tasks wait
   * @return the pool
   */
  public static ScheduledThreadPoolExecutor daemons(String name, int most) {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(
            most,
            task -> {
              Thread thread = new Thread(null, task, name, 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(Threads.class.getClassLoader());
              return thread;
            });
    threads.setRemoveOnCancelPolicy(true);
    threads.setKeepAliveTime(2, TimeUnit.SECONDS);
    threads.allowCoreThreadTimeOut(true);
    return threads;
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
