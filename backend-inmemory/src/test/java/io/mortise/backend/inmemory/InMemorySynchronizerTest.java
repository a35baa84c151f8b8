package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.SynchronizerConformance;
import io.mortise.spi.LockBackend;

/** The semaphore and the latch on the memory backend, with the system's time. */
class InMemorySynchronizerTest extends SynchronizerConformance {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public String backendName() {
    return "memory";
  }

  @Override
  public LockBackend openBackend() {
    return store.backend();
  }
}
