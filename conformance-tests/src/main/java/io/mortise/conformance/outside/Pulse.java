package io.mortise.conformance.outside;

import java.util.concurrent.locks.LockSupport;

/**
 * Notices and logs when threads of this process do not run, because it is frozen or the machine is
 * busy. The checker does not blame a lock for such times.
 */
final class Pulse {
  private static final long BEAT = 50_000_000L;
  private static final long LATE = 250_000_000L;

  private final Thread thread;
  private volatile boolean stopped;

  /**
   * Starts a daemon thread.
   *
   * @param touched the field and value that select the touched stays; empty for all
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
        Faults.tell(log, "stall-" + ++number, new Span(last, now), Fault.Sort.STALL, touched);
      }
      last = now;
    }
  }

  /** Ends the thread. Nothing is logged afterwards. */
  void stop() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
