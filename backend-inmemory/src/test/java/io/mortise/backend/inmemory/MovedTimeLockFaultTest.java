package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockFaultConformance;

/** The lock contract under faults on the memory backend, with time that only a test moves. */
class MovedTimeLockFaultTest extends LockFaultConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
