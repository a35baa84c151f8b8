package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.SlotMoveConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks on a Redis Cluster through Lettuce while its slots move. */
@Tag("ci")
class LettuceClusterSlotTest extends SlotMoveConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
