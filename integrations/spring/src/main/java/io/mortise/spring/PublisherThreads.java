package io.mortise.spring;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The threads of publishers, which may block. Blocking tasks of the application fill {@link
 * Schedulers#boundedElastic()}, and a lease or a loss would wait behind them.
 */
final class PublisherThreads {
  /** Where methods run, and where their results go on. */
  static final Scheduler WORK = threads("mortise-publishers");

  /** Where losses, errors and busy locks go on. No method with a lock runs here. */
  static final Scheduler SIGNALS = threads("mortise-signals");

  private PublisherThreads() {}

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
              thread.setContextClassLoader(PublisherThreads.class.getClassLoader());
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return Schedulers.fromExecutorService(threads, name);
  }
}
