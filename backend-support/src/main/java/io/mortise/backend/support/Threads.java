package io.mortise.backend.support;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Which threads do what. */
public final class Threads {
  private Threads() {}

  /**
   * Daemons that end when they have been idle for some seconds, and come back with the next task.
   *
   * @param name all have it
   * @param most how many run at a time; further tasks wait
   * @return what runs them
   */
  public static ScheduledThreadPoolExecutor daemons(String name, int most) {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(
            most,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.setRemoveOnCancelPolicy(true);
    threads.setKeepAliveTime(2, TimeUnit.SECONDS);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /**
   * Whether the calling thread is virtual, told by the thread group all of them share: Java 17
   * knows no other sign.
   *
   * @return whether an interrupt would close a socket it reads
   */
  public static boolean isVirtual() {
    ThreadGroup group = Thread.currentThread().getThreadGroup();
    return group != null && "VirtualThreads".equals(group.getName());
  }
}
