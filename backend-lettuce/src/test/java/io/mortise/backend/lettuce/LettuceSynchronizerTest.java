package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.spi.LockBackendProvider;

/** The semaphore and the latch on Redis through Lettuce. */
class LettuceSynchronizerTest extends RedisSynchronizerConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
