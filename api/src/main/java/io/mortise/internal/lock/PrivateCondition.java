package io.mortise.internal.lock;

import io.mortise.internal.engine.ConditionWaiter;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.wire.Names;
import java.util.ArrayDeque;
import java.util.Deque;

/** A condition of the threads that have this object. Its queue is in memory. Thread-safe. */
final class PrivateCondition extends LockCondition {
  private final Deque<ConditionWaiter> queue = new ArrayDeque<>();

  PrivateCondition(LockHandle lock) {
    super(lock);
  }

  @Override
  synchronized void join(ConditionWaiter waiter) {
    queue.addLast(waiter);
  }

  @Override
  long untilCheck() {
    return Long.MAX_VALUE / 4;
  }

  @Override
  void check(ConditionWaiter waiter) {}

  @Override
  synchronized boolean leave(ConditionWaiter waiter) {
    return queue.remove(waiter);
  }

  @Override
  void abandon(ConditionWaiter waiter) {
    if (!leave(waiter)) {
      signalFirst();
    }
  }

  @Override
  void signal(Hold hold, boolean all) {
    boolean signalled = signalFirst();
    while (all && signalled) {
      signalled = signalFirst();
    }
  }

  private synchronized boolean signalFirst() {
    ConditionWaiter first = queue.pollFirst();
    if (first != null) {
      first.setSignalled();
      engine().store().time().unpark(first.thread());
    }
    return first != null;
  }

  @Override
  public String toString() {
    return "Condition[of lock " + Names.shown(lock().name()) + ", private]";
  }
}
