package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockFaultConformance;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on the memory backend, with the system's time. */
@Tag("all")
class InMemoryLockFaultTest extends LockFaultConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
