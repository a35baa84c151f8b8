package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockKindConformance;
import io.mortise.spi.LockBackend;
import java.time.Duration;

/**
 * All other kinds of lock on the memory backend, with time that only moves when a test moves it.
 */
class MovedTimeLockKindTest extends LockKindConformance {
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @Override
  public LockBackend openBackend() {
    return store.backend();
  }

  @Override
  public void passTime(Duration duration) {
    store.advance(duration);
  }
}
