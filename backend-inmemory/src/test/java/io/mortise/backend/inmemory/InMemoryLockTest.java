package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockConformance;
import io.mortise.spi.LockBackend;

/** The lock contract on the memory backend, with the system's time. */
class InMemoryLockTest extends LockConformance {
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
