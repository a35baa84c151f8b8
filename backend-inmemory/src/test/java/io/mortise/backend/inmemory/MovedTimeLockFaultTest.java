package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.LockFaultConformance;
import io.mortise.spi.LockBackend;
import java.time.Duration;

/**
 * The lock contract on the memory backend while things fail, with time that only moves when a test
 * moves it.
 */
class MovedTimeLockFaultTest extends LockFaultConformance {
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
