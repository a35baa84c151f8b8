package io.mortise.spring;

import io.mortise.annotations.internal.BlockingThreads;
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

  private static Scheduler threads(String name) {
    return Schedulers.fromExecutorService(BlockingThreads.named(name), name);
  }
}
