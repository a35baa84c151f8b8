package io.mortise.conformance.sample;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.util.Set;

/** Opens {@link SampleBackend}s. */
public final class SampleBackendProvider implements LockBackendProvider {
  @Override
  public String name() {
    return "sample";
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("redis");
  }

  @Override
  public LockBackend open(BackendConfig config) {
    if (!"redis".equals(config.uri().getScheme()) || config.uri().getHost() == null) {
      throw new IllegalArgumentException("not redis://host:port: " + config.endpoint());
    }
    return SampleBackend.open(new SampleEndpoint(config));
  }
}
