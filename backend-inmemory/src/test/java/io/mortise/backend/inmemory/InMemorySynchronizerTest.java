package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.SynchronizerConformance;

/** The semaphore and the latch on the memory backend, with the system's time. */
class InMemorySynchronizerTest extends SynchronizerConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
