package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.ReadWriteConformance;

/** The read/write lock on the memory backend, with time that only a test moves. */
class MovedTimeReadWriteTest extends ReadWriteConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
