package io.mortise.cli;

import io.mortise.conformance.lock.MeetingConformance;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The services of each test alternate between Jedis and Lettuce, on one server. */
@Tag("all")
@Tag("once")
class BothClientsTest extends MeetingConformance {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private final List<LockBackendProvider> providers =
      ServiceLoader.load(LockBackendProvider.class).stream()
          .map(ServiceLoader.Provider::get)
          .filter(provider -> provider.schemes().contains("redis"))
          .toList();
  private int opened;

  @Override
  public String backendName() {
    return "jedis-and-lettuce";
  }

  @Override
  public LockBackend openBackend() {
    LockBackendProvider next = providers.get(opened++ % providers.size());
    return next.open(
        new BackendConfig(REDIS.server().uri(), Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }
}
