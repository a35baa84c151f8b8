package io.mortise.spring;

import io.mortise.LeaseLostException;
import io.mortise.annotations.internal.HeldLock;
import io.mortise.annotations.internal.ThreadLocks;
import io.mortise.spi.internal.Shown;
import java.util.Objects;

/**
 * The locks under which the current thread works, for code at any depth below a method with {@link
 * WithLock} or a {@link LockTemplate}. Thread-safe. It sends no command, except to release a lock
 * whose transaction another thread has ended.
 *
 * <p>Work of another thread, such as that of a future or a publisher, has no context here.
 */
public final class LockContext {
  private LockContext() {}

  /**
   * Throws unless the thread works under the lock of that name, and all its locks are still held. A
   * method that calls this first cannot run without its lock, even if it is called past its proxy.
   *
   * @param name the lock's name, as the annotation's template gives it
   * @throws LeaseLostException a lease is over
   * @throws IllegalStateException the thread does not work under that lock
   */
  public static void ensureHeld(String name) {
    Objects.requireNonNull(name, "name");
    if (!ThreadLocks.has(name)) {
      throw new IllegalStateException(
          "thread %s does not work under lock '%s' here: was the method with @WithLock called by its own object, past the proxy? Call it through the bean, or use a LockTemplate"
              .formatted(Shown.thisThread(), Shown.of(name)));
    }
    ThreadLocks.ensureHeld();
  }

  /**
   * Throws unless the thread works under a lock, and all such locks are still held. It may be the
   * lock of a caller. {@link #ensureHeld(String)} asks for one by its name.
   *
   * @throws LeaseLostException a lease is over
   * @throws IllegalStateException the thread does not work under a lock
   */
  public static void ensureHeld() {
    HeldLock unused = newest();
    ThreadLocks.ensureHeld();
  }

  /**
   * The fencing token of the lock that was acquired last.
   *
   * @return a positive number
   * @throws LeaseLostException the lease is over
   * @throws IllegalStateException the thread does not work under a lock, or the lock is of another
   *     kind than {@link WithLock.Kind#FENCED}
   */
  public static long fencingToken() {
    return newest().fencingToken();
  }

  private static HeldLock newest() {
    HeldLock newest = ThreadLocks.newest();
    if (newest == null) {
      throw new IllegalStateException(
          "thread %s does not work under a lock here: was the method with @WithLock called by its own object, past the proxy? Call it through the bean, or use a LockTemplate"
              .formatted(Shown.thisThread()));
    }
    return newest;
  }
}
