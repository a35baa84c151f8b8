package io.mortise.backend.inmemory;

import io.mortise.conformance.LockKit;
import io.mortise.spi.LockBackend;

/** A kit on a store in memory, with the system's time. */
interface MemoryKit extends LockKit {
  /** The store of the test. */
  InMemoryStore store();

  @Override
  default String backendName() {
    return "memory";
  }

  @Override
  default LockBackend openBackend() {
    return store().backend();
  }
}
