package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockConformance;

/** The lock contract on the memory backend, with time that only a test moves. */
class MovedTimeLockTest extends LockConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
