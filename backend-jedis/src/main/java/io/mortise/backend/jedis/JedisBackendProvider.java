package io.mortise.backend.jedis;

import com.google.auto.service.AutoService;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.RedisAddress;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.util.Set;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;

/**
 * Opens backends by URI: {@code redis://user:password@host:port/database}, or {@code rediss} for
 * TLS. Only the host is required. The user may be left out alone: {@code redis://:password@host}.
 * User and password are percent-encoded. TLS uses the JVM's trust store, and the server's
 * certificate must match the host name. There are no further properties.
 */
@AutoService(LockBackendProvider.class)
public final class JedisBackendProvider implements LockBackendProvider {
  static final ClientRange CLIENT =
      new ClientRange("mortise-backend-jedis", "Jedis", "6.0 to 8.x", HostAndPort.class);

  /** Called by {@link java.util.ServiceLoader}. */
  public JedisBackendProvider() {}

  @Override
  public String name() {
    return "jedis";
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public Set<String> schemes() {
    return Set.of("redis", "rediss");
  }

  @Override
  public LockBackend open(BackendConfig config) {
    RedisAddress address = RedisAddress.of(config.uri());
    return CLIENT.open(() -> connect(address, config));
  }

  private static LockBackend connect(RedisAddress address, BackendConfig config) {
    HostAndPort server = new HostAndPort(address.host(), address.port());
    ConnectionPool pool =
        new ConnectionPool(server, settings(address, config), new ConnectionPoolConfig());
    return new JedisBackend(pool, address.toString(), JedisBackend.BEAT, pool::close);
  }

  private static DefaultJedisClientConfig settings(RedisAddress address, BackendConfig config) {
    return DefaultJedisClientConfig.builder()
        .resp3()
        .sslOptions(address.tls() ? checked() : null)
        .user(address.user())
        .password(address.password())
        .database(address.database())
        .clientName(config.clientName())
        .timeoutMillis(Math.toIntExact(config.commandTimeout().toMillis()))
        .build();
  }

  private static SslOptions checked() {
    return SslOptions.builder().sslVerifyMode(SslVerifyMode.FULL).build();
  }
}
