package io.mortise.cdi;

import io.mortise.cdi.WithLock.OnLost;
import org.jspecify.annotations.Nullable;

/** Runs work of the calling thread under a lock: acquired, or not run. */
final class Locker {
  /** What runs under a lock. */
  interface Work {
    @Nullable Object run() throws Exception;
  }

  /** The result of work that did not run, because another holder had the lock. */
  enum Busy {
    BUSY
  }

  private Locker() {}

  /**
   * Runs the work.
   *
   * @return its result, or {@link Busy}
   * @throws io.mortise.LeaseLostException the work returned, but its lease is over
   */
  @SuppressWarnings("try") // scopes are there to be closed
  static @Nullable Object run(LockedMethod method, LockTarget target, Work work) throws Exception {
    ThreadHold hold = ThreadHold.acquire(target, method.terms());
    if (hold == null) {
      return Busy.BUSY;
    }
    try (Scope released = hold;
        Scope interruption = interruption(target, method.terms())) {
      return ResultKind.requireOver(method, work.run());
    }
  }

  private static Scope interruption(LockTarget target, LockTerms terms) {
    return terms.onLost() == OnLost.INTERRUPT ? Interruption.of(target.lock()) : () -> {};
  }
}
