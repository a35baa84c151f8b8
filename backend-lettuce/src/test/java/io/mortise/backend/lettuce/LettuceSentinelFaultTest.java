package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.SentinelFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks through Lettuce while sentinels replace the master. */
@Tag("ci")
class LettuceSentinelFaultTest extends SentinelFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
