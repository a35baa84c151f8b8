package io.mortise.conformance.outside;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Interrupts attempts that take too long, and nothing after them. Thread-safe. */
final class Interrupter {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "worker-interrupter");
        thread.setDaemon(true);
        return thread;
      });

  /** Interrupts the calling thread after the delay, unless the alarm is turned off before. */
  Alarm in(Duration delay) {
    Alarm alarm = new Alarm(Thread.currentThread());
    if (!delay.isZero()) {
      Future<?> unused = timer.schedule(alarm::ring, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
    return alarm;
  }

  /** An interrupt that may still come. */
  static final class Alarm {
    private final Thread thread;
    private boolean off;

    private Alarm(Thread thread) {
      this.thread = thread;
    }

    private synchronized void ring() {
      if (!off) {
        thread.interrupt();
      }
    }

    /** Takes back an interrupt that had no effect. */
    synchronized void turnOff() {
      off = true;
      boolean unused = Thread.interrupted();
    }
  }
}
