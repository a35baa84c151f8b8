package io.mortise.backend.sample;

import io.mortise.backend.support.RedisAddress;
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
    config.requireNoCredentials();
    RedisAddress address = RedisAddress.of(config.uri());
    return new SampleBackend(
        new SampleEndpoint(address, config.clientName(), config.commandTimeout()));
  }
}
