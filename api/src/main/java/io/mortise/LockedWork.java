package io.mortise;

import org.jspecify.annotations.Nullable;

/** Runs work under a lock. The work's own exception is never hidden by what the release throws. */
final class LockedWork {
  /** Work that a caller wants to run under a lock. */
  interface Work<T extends @Nullable Object, E extends Exception> {
    T run() throws E;
  }

  private LockedWork() {}

  static <T extends @Nullable Object, E extends Exception> T run(LeasedLock lock, Work<T, E> work)
      throws E {
    lock.lock();
    T result;
    try {
      result = work.run();
    } catch (Throwable e) {
      releaseAfter(lock, e);
      throw e;
    }
    release(lock);
    return result;
  }

  private static void releaseAfter(LeasedLock lock, Throwable failure) {
    try {
      release(lock);
    } catch (RuntimeException | Error e) {
      if (!e.equals(failure)) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Unlocks. The unlock of a nested hold does not notice a loss, so this looks first. */
  private static void release(LeasedLock lock) {
    RuntimeException lost = thrownBy(lock::ensureHeld);
    RuntimeException failed = thrownBy(lock::unlock);
    if (lost == null) {
      lost = failed;
    } else if (failed != null && !(failed instanceof IllegalMonitorStateException)) {
      lost.addSuppressed(failed); // else it says the same once more
    }
    if (lost != null) {
      throw lost;
    }
  }

  private static @Nullable RuntimeException thrownBy(Runnable step) {
    try {
      step.run();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }
}
