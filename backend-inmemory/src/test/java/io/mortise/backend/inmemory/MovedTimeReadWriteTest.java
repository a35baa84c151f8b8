package io.mortise.backend.inmemory;

import io.mortise.conformance.lock.ReadWriteConformance;
import io.mortise.spi.LockBackend;
import java.time.Duration;

/** The read/write lock on the memory backend, with time that only moves when a test moves it. */
class MovedTimeReadWriteTest extends ReadWriteConformance {
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
