package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockConformance;
import org.junit.jupiter.api.Tag;

/** The lock contract on the memory backend, with the system's time. */
@Tag("all")
class InMemoryLockTest extends LockConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
