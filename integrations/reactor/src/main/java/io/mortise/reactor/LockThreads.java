package io.mortise.reactor;

import io.mortise.annotations.internal.BlockingThreads;
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

  private static Scheduler threads(String name) {
    return Schedulers.fromExecutorService(BlockingThreads.named(name), name);
  }
}
