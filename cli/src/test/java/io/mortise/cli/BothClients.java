package io.mortise.cli;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** Opens backends on Jedis and on Lettuce by turns. */
final class BothClients {
  static final String NAME = "jedis-and-lettuce";

  private final List<LockBackendProvider> providers =
      ServiceLoader.load(LockBackendProvider.class).stream()
          .map(ServiceLoader.Provider::get)
          .filter(provider -> provider.schemes().contains("redis"))
          .toList();
  private int opened;

  LockBackend open(URI uri) {
    LockBackendProvider next = providers.get(opened++ % providers.size());
    return next.open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }
}
