package io.mortise.internal.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The threads of a service that wait for a signal of a condition. Thread-safe. */
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

  /** A message signals an id. If the id is not here, its thread has left; the script knew that. */
  void signalled(String id) {
    ConditionWaiter waiter = waiting.get(id);
    if (waiter != null) {
      wake(waiter, ConditionWaiter::setSignalled);
    }
  }

  /** Messages may have been lost, or the service is closed. Every waiter asks the store. */
  void askAll() {
    waiting.values().forEach(waiter -> wake(waiter, ConditionWaiter::setDue));
  }

  private void wake(ConditionWaiter waiter, Consumer<ConditionWaiter> why) {
    why.accept(waiter);
    store.time().unpark(waiter.thread());
  }
}
