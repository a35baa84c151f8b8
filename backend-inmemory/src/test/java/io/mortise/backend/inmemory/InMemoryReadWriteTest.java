package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.ReadWriteConformance;
import org.junit.jupiter.api.Tag;

/** The read/write lock on the memory backend, with the system's time. */
@Tag("all")
class InMemoryReadWriteTest extends ReadWriteConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
