package io.mortise.backend.sample;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All duties on the sample backend. */
@Tag("all")
class SampleConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new SampleBackendProvider();
  }

  @Override
  protected boolean countsReplicas() {
    return false;
  }

  @Override
  protected boolean servesFarServers() {
    return false;
  }
}
