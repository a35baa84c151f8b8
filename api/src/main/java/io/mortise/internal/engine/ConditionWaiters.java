package io.mortise.internal.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The threads of a service that wait for a signal. Thread-safe. */
public final class ConditionWaiters {
  private final Store store;
  private final Map<String, ConditionWaiter> waiting = new ConcurrentHashMap<>();

  ConditionWaiters(Store store) {
    this.store = store;
  }

  public void add(ConditionWaiter waiter) {
    waiting.put(waiter.id(), waiter);
  }

  public void remove(ConditionWaiter waiter) {
    waiting.remove(waiter.id());
  }

  /** A message named an id. One that is not here has left, and the script knew it. */
  void signalled(String id) {
    ConditionWaiter waiter = waiting.get(id);
    if (waiter != null) {
      wake(waiter, ConditionWaiter::setSignalled);
    }
  }

  /** Messages may have been lost. */
  void askAll() {
    waiting.values().forEach(waiter -> wake(waiter, ConditionWaiter::setDue));
  }

  /** The service is closed: every waiter finds that out. */
  void close() {
    askAll();
  }

  private void wake(ConditionWaiter waiter, Consumer<ConditionWaiter> why) {
    why.accept(waiter);
    store.time().unpark(waiter.thread());
  }
}
