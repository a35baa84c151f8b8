package io.mortise.conformance.lock.condition;

import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.LockRules;

import io.mortise.conformance.support.Await;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

/** Threads that wait for a signal. */
abstract class ConditionFixture extends LockRules {
  ConditionFixture(LockKit kit) {
    super(kit);
  }

  /** A way to wait for a signal: whether one came. */
  interface Wait {
    boolean get() throws InterruptedException;
  }

  /**
   * Starts a thread that waits with the lock, and returns when it has given the lock back and
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
    Await.until("it has the lock", holds::get);
    lock.lock();
    lock.unlock();
    waiter.awaitRest();
    return waiter;
  }
}
