package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.CompositeLockConformance;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on the memory backend, with the system's time. */
@Tag("all")
class InMemoryCompositeLockTest extends CompositeLockConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
