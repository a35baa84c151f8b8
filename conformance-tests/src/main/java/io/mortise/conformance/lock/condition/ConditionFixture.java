package io.mortise.conformance.lock.condition;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

/** Threads that wait for a signal, for tests. */
abstract class ConditionFixture extends LockRules {
  ConditionFixture(LockKit kit) {
    super(kit);
  }

  /** A way to wait. Returns whether a signal came. */
  interface Wait {
    boolean get() throws InterruptedException;
  }

  /**
   * Starts a thread that waits on the condition. Returns when the thread has released the lock and
   * rests.
   */
  static Contender waiting(Lock lock, Wait wait) {
    AtomicBoolean holds = new AtomicBoolean();
    Contender waiter =
        Contender.startBusy(() -> {
          lock.lock();
          holds.set(true);
          boolean signalled = wait.get();
          lock.unlock();
          return signalled;
        });
    Await.until("the thread holds the lock", holds::get);
    lock.lock();
    lock.unlock();
    waiter.awaitRest();
    return waiter;
  }
}
