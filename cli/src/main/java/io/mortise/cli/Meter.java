package io.mortise.cli;

import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of this process's workers. */
final class Meter implements LockListener {
  private final LongAdder increments = new LongAdder();
  private final LongAdder commands = new LongAdder();
  private final LongAdder acquired = new LongAdder();
  private final LongAdder handedOver = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final AtomicLong last = new AtomicLong();
  private final AtomicLong pause = new AtomicLong();

  void incremented() {
    increments.increment();
  }

  /** Notes the time of an increment under the lock, or of the start of the run. */
  void tick() {
    long now = System.nanoTime();
    pause.accumulateAndGet(now - last.getAndSet(now), Math::max);
  }

  /** The store could not be reached for the lock. */
  void failed() {
    failed.increment();
  }

  /** The lock was lost while it was held. */
  void lost() {
    lost.increment();
  }

  /** The time since the last increment under the lock (ns). */
  long sinceTick() {
    return System.nanoTime() - last.get();
  }

  void sent(int calls) {
    commands.add(calls);
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    acquired.increment();
    if (hold.via() == LockHold.Via.HANDED) {
      handedOver.increment();
    }
  }

  Tally tally() {
    return new Tally(
        increments.sum(),
        commands.sum(),
        acquired.sum(),
        handedOver.sum(),
        failed.sum(),
        lost.sum(),
        TimeUnit.NANOSECONDS.toMillis(pause.get()));
  }

  /** Sets all counts to zero, between two runs. */
  void reset() {
    increments.reset();
    commands.reset();
    acquired.reset();
    handedOver.reset();
    failed.reset();
    lost.reset();
    last.set(System.nanoTime());
    pause.set(0);
  }
}
