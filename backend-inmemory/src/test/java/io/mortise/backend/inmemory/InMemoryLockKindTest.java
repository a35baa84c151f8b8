package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockKindConformance;

/** All other kinds of lock on the memory backend, with the system's time. */
class InMemoryLockKindTest extends LockKindConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
