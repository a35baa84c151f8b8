package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.CompositeLockConformance;

/** Multi-locks and Redlocks on the memory backend, with time that only a test moves. */
class MovedTimeCompositeLockTest extends CompositeLockConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
