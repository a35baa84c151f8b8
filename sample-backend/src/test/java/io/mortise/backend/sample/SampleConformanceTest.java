package io.mortise.backend.sample;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;

/** All duties, checked on a backend whose code can be seen at a glance. */
class SampleConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new SampleBackendProvider();
  }
}
