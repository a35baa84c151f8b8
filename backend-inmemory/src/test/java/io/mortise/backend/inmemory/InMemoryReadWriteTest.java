package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.ReadWriteConformance;
import io.mortise.spi.LockBackend;

/** The read/write lock on the memory backend, with the system's time. */
class InMemoryReadWriteTest extends ReadWriteConformance {
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
