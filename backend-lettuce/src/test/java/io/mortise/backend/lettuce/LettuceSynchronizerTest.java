package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The semaphore and the latch on Redis through Lettuce. */
@Tag("all")
class LettuceSynchronizerTest extends RedisSynchronizerConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
