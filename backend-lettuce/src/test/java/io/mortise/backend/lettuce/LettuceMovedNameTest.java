package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.MovedNameConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Names of hosts that move, through Lettuce. */
@Tag("all")
class LettuceMovedNameTest extends MovedNameConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }

  @Override
  protected Class<?> process() {
    return NamedProcess.class;
  }
}
