package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockConformance;

/** The lock contract on the memory backend, with the system's time. */
class InMemoryLockTest extends LockConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
