package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.CompositeLockConformance;

/** Multi-locks and Redlocks on the memory backend, with the system's time. */
class InMemoryCompositeLockTest extends CompositeLockConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
