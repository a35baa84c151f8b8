package io.mortise.reactor;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The threads of this module, which may block. Blocking tasks of the application fill {@link
 * Schedulers#boundedElastic()}, and a lease or a loss would wait behind them.
 */
final class LockThreads {
  /** Where work begins, and where its result goes on. */
  static final Scheduler WORK = threads("mortise-work");

  /** Where errors go on, also those that tell a loss or the end of a wait. No work begins here. */
  static final Scheduler SIGNALS = threads("mortise-signals");

  private LockThreads() {}

  /** Daemon threads, which end when they are idle. */
  private static Scheduler threads(String name) {
    AtomicInteger made = new AtomicInteger();
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE,
            Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(null, task, name + '-' + made.incrementAndGet(), 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(LockThreads.class.getClassLoader());
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return Schedulers.fromExecutorService(threads, name);
  }
}
