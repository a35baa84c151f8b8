package io.mortise.conformance.outside;

import java.util.concurrent.locks.LockSupport;

/**
 * Notices that threads of this process do not run, whether because it is frozen or because the
 * machine is busy, and writes that down: what a lock does in such a time is not its fault.
 */
final class Pulse {
  private static final long BEAT = 50_000_000L;
  private static final long LATE = 250_000_000L;

  private final Thread thread;
  private volatile boolean stopped;

  /**
   * Starts it, on a daemon thread.
   *
   * @param touched the field and value that say whose stays are touched; nothing for all
   */
  Pulse(Log log, Object... touched) {
    thread = new Thread(() -> beat(log, touched), "worker-pulse");
    thread.setDaemon(true);
    thread.start();
  }

  private void beat(Log log, Object... touched) {
    int number = 0;
    for (long last = log.now(); !stopped; ) {
      LockSupport.parkNanos(BEAT);
      long now = log.now();
      if (now - last > LATE) {
        Faults.tell(log, "stall-" + ++number, last, now, Fault.Sort.STALL, touched);
      }
      last = now;
    }
  }

  /** Ends it; afterwards nothing is written. */
  void stop() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
