package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockFaultConformance;

/**
 * The lock contract on the memory backend while things fail, with time that only moves when a test
 * moves it.
 */
class MovedTimeLockFaultTest extends LockFaultConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
