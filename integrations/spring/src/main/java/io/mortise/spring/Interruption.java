package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.Registration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Interrupts the thread that made it when that thread's hold is lost, until it is closed. It never
 * interrupts later, and an interrupt of its own does not outlive it.
 */
final class Interruption implements Scope {
  private final Thread thread = Thread.currentThread();
  private final ReentrantLock state = new ReentrantLock();
  private final DistributedLock lock;
  private final Registration registration;
  private boolean over;
  private boolean interrupted;

  Interruption(DistributedLock lock) {
    this.lock = lock;
    registration = lock.onLeaseLost(this::lost);
  }

  /** The lost hold may be another thread's, or that of another side of a read/write lock. */
  @SuppressWarnings("deprecation") // threadId() is of Java 19
  private void lost(LeaseChange change) {
    if (!lock.isHeldByThread(thread.getId())) {
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
  }

  @Override
  public void close() {
    registration.close();
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
