package io.mortise.cli;

import io.mortise.LockListener;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of this process's workers. */
final class Meter implements LockListener {
  private final LongAdder increments = new LongAdder();
  private final LongAdder commands = new LongAdder();
  private final LongAdder acquired = new LongAdder();
  private final LongAdder handedOver = new LongAdder();

  void incremented() {
    increments.increment();
  }

  void sent(int calls) {
    commands.add(calls);
  }

  @Override
  public void acquired(String name, long waitedNanos, boolean remote) {
    acquired.increment();
    if (!remote) {
      handedOver.increment();
    }
  }

  Tally tally() {
    return new Tally(increments.sum(), commands.sum(), acquired.sum(), handedOver.sum());
  }

  /** Sets all counts to zero, between two runs. */
  void reset() {
    increments.reset();
    commands.reset();
    acquired.reset();
    handedOver.reset();
  }
}
