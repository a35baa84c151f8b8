package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.SynchronizerConformance;

/** The semaphore and the latch on the memory backend, with time that only a test moves. */
class MovedTimeSynchronizerTest extends SynchronizerConformance implements MovedTimeKit {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
