package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockKindConformance;
import io.mortise.spi.LockBackend;

/** All other kinds of lock on the memory backend, with the system's time. */
class InMemoryLockKindTest extends LockKindConformance {
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
