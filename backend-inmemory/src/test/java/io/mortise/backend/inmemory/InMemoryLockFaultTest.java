package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockFaultConformance;
import io.mortise.spi.LockBackend;

/** The lock contract while things fail on the memory backend, with the system's time. */
class InMemoryLockFaultTest extends LockFaultConformance {
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
