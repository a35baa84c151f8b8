package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockKindConformance;
import org.junit.jupiter.api.Tag;

/** All other kinds of lock on the memory backend, with the system's time. */
@Tag("all")
class InMemoryLockKindTest extends LockKindConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
