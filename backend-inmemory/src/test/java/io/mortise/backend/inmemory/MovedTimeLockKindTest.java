package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockKindConformance;

/** All other kinds of lock on the memory backend, with time that only a test moves. */
class MovedTimeLockKindTest extends LockKindConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
