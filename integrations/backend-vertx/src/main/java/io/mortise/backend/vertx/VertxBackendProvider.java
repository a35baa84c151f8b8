package io.mortise.backend.vertx;

import com.google.auto.service.AutoService;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.backend.support.TlsFiles;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import io.vertx.redis.client.Redis;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Opens a {@link VertxBackend} with a Vert.x of its own, by URI: {@code
 * redis[s]://[[user]:password@]host[:port][/database]}. {@code rediss} is TLS, with the certificate
 * checked against the host name and the JVM's trust store. Properties of {@link TlsFiles} name
 * other files, and the backend's own certificate. User and password are percent-encoded. {@code
 * valkey} means the same as {@code redis}.
 *
 * <p>It serves a single server. Clusters and sentinels are refused.
 */
@AutoService(LockBackendProvider.class)
@SuppressWarnings("exports") // an application needs no annotations of auto-service
public final class VertxBackendProvider implements LockBackendProvider {
  private static final Set<String> SCHEMES = Set.of("redis", "rediss", "valkey", "valkeys");

  private static final ClientRange CLIENT =
      new ClientRange("mortise-backend-vertx", "Vert.x", "5.2", Redis.class);

  /** Called by {@link java.util.ServiceLoader}. */
  public VertxBackendProvider() {}

  @Override
  public String name() {
    return "vertx";
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public Set<String> schemes() {
    return SCHEMES;
  }

  @Override
  public LockBackend open(BackendConfig config) {
    return open(config, Loop::start);
  }

  /** Opens a backend, and ends its event loop if that fails. */
  static LockBackend open(BackendConfig config, Supplier<Loop> loops) {
    Loop.requireMayWait();
    requireSingle(config);
    RedisAddress address = RedisAddress.of(config.uri());
    Connector connector = new Connector(RedisSettings.of(config), address);
    Connector.requireReadable(address);
    return CLIENT.open(() -> connector.settings().open(() -> open(connector, loops)));
  }

  private static LockBackend open(Connector connector, Supplier<Loop> loops) {
    connector.knock();
    Loop loop = loops.get();
    try {
      return Opening.patiently(
          connector.address(),
          connector.config().commandTimeout(),
          () ->
              RedisServers.open(
                  connector.endpoint(), () -> new VertxBackend(loop, connector), () -> {}));
    } catch (RuntimeException | LinkageError e) {
      loop.close();
      throw e;
    }
  }

  private static void requireSingle(BackendConfig config) {
    String scheme = config.uri().getScheme().toLowerCase(Locale.ROOT);
    if (RedisAddress.SCHEMES.contains(scheme) && !SCHEMES.contains(scheme)) {
      throw new IllegalArgumentException(
          "%s is a URI of a cluster or of sentinels, and mortise-backend-vertx serves a single server; write redis://host:port, or use mortise-backend-lettuce or mortise-backend-jedis"
              .formatted(config.endpoint()));
    }
  }
}
