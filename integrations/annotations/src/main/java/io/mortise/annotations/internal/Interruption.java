package io.mortise.annotations.internal;

import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.Registration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that made it when that thread's hold is lost, until it is closed. It never
 * interrupts later, and an interrupt of its own does not outlive it.
 */
public final class Interruption implements Scope {
  private final Thread thread = Thread.currentThread();
  private final ReentrantLock state = new ReentrantLock();
  private @Nullable Registration registration;
  private boolean over;
  private boolean interrupted;

  private Interruption() {}

  /** The lost hold may be another thread's, or that of another side of a read/write lock. */
  @SuppressWarnings("deprecation") // threadId() is of Java 19
  static Interruption of(LeasedLock lock) {
    Interruption made = new Interruption();
    made.registration =
        lock.onLeaseLost(change -> {
          if (!lock.isHeldByThread(made.thread.getId())) {
            made.interrupt();
          }
        });
    return made;
  }

  /** For permits, whose lease has no other listener. */
  public static Interruption of(Lease lease) {
    Interruption made = new Interruption();
    Lease unused = lease.onLost(change -> made.interrupt());
    return made;
  }

  private void interrupt() {
    state.lock();
    try {
      if (!over) {
        interrupted = true;
        thread.interrupt();
      }
    } finally {
      state.unlock();
    }
  }

  @Override
  public void close() {
    if (registration != null) {
      registration.close();
    }
    state.lock();
    try {
      over = true;
      if (interrupted) {
        boolean unused = Thread.interrupted();
      }
    } finally {
      state.unlock();
    }
  }
}
