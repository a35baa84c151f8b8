package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
   * Refuses to wait on the thread that would have to read the reply.
   *
   * @param io the thread that reads replies, if it is known yet
   * @param backend whose it is, for the message
   * @throws BackendException the caller is that thread; nothing was executed
   */
  public static void refuseToWaitOn(@Nullable Thread io, LockBackend backend) {
    if (Thread.currentThread().equals(io)) {
      String message = backend + ": execute would wait for its own thread; use executeAsync";
      throw new BackendException(Outcome.NOT_EXECUTED, message, null);
    }
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
