package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.SynchronizerConformance;
import io.mortise.spi.LockBackend;
import java.time.Duration;

/**
 * The semaphore and the latch on the memory backend, with time that only moves when a test moves
 * it.
 */
class MovedTimeSynchronizerTest extends SynchronizerConformance {
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
