package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.SynchronizerConformance;
import org.junit.jupiter.api.Tag;

/** The semaphore and the latch on the memory backend, with the system's time. */
@Tag("all")
class InMemorySynchronizerTest extends SynchronizerConformance implements MemoryKit {
  private final InMemoryStore store = InMemoryStore.create();

  @Override
  public InMemoryStore store() {
    return store;
  }
}
