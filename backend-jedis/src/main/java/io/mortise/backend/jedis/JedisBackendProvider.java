package io.mortise.backend.jedis;

import com.google.auto.service.AutoService;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.backend.support.cluster.ClusterAddress;
import io.mortise.backend.support.cluster.ClusterRouter;
import io.mortise.backend.support.cluster.MappedNodes;
import io.mortise.backend.support.sentinel.MappedServers;
import io.mortise.backend.support.sentinel.SentinelAddress;
import io.mortise.backend.support.sentinel.SentinelRouter;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.time.Duration;
import java.util.Set;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;

/**
 * Opens backends by URI: {@code redis://user:password@host:port/database} for one server, {@code
 * redis-cluster://user:password@host:port,host:port} for a cluster, and {@code rediss} in place of
 * {@code redis} for TLS. Only the host is required. The user may be left out alone: {@code
 * redis://:password@host}. User and password are percent-encoded. TLS uses the JVM's trust store
 * and no certificate of its own, unless the properties of {@link
 * io.mortise.backend.support.TlsFiles} name files. The server's certificate must match the host
 * name. With sentinels: {@code
 * redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master}, and the
 * properties {@code sentinel.user} and {@code sentinel.password}.
 */
@AutoService(LockBackendProvider.class)
@SuppressWarnings("exports") // an application needs no annotations of auto-service
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
    return RedisAddress.SCHEMES;
  }

  @Override
  public LockBackend open(BackendConfig config) {
    RedisSettings settings = RedisSettings.of(config);
    if (settings.isCluster()) {
      ClusterAddress cluster = ClusterAddress.of(config.uri());
      return CLIENT.open(() -> settings.open(() -> connect(cluster, settings)));
    }
    if (SentinelAddress.isMeantBy(config.uri())) {
      SentinelAddress set = SentinelAddress.of(config.uri());
      return CLIENT.open(() -> settings.open(() -> connect(set, settings)));
    }
    RedisAddress address = RedisAddress.of(config.uri());
    return CLIENT.open(() -> settings.open(() -> connect(address, settings)));
  }

  private static LockBackend connect(RedisAddress address, RedisSettings settings) {
    return Opening.patiently(
        address, settings.config().commandTimeout(), () -> connectOnce(address, settings));
  }

  private static LockBackend connectOnce(RedisAddress address, RedisSettings settings) {
    try {
      return connect(address, settings, true);
    } catch (BackendException e) {
      if (!RedisServers.isWithoutHello(e)) {
        throw e;
      }
      return connect(address, settings, false);
    }
  }

  private static JedisBackend connect(
      RedisAddress address, RedisSettings settings, boolean knowsHello) {
    ConnectionPool pool = OwnPool.of(address, settings, settings.servers(), knowsHello);
    return new JedisBackend(pool, address.toString(), JedisBackend.BEAT, pool::close);
  }

  private static LockBackend connect(ClusterAddress cluster, RedisSettings settings) {
    JedisCluster nodes =
        new JedisCluster(
            place -> OwnPool.of(cluster.at(place), settings, settings.servers(), true),
            ConnectionPool::close,
            cluster.seeds().get(0).tls());
    return new ClusterRouter(
        new MappedNodes(nodes, settings.addresses()),
        cluster.places(),
        cluster.toString(),
        settings.config().commandTimeout());
  }

  private static LockBackend connect(SentinelAddress set, RedisSettings settings) {
    Duration timeout = settings.config().commandTimeout();
    JedisSentinelNodes nodes =
        new JedisSentinelNodes(
            place -> OwnPool.of(set.data(place), settings, settings.servers(), true),
            place ->
                OwnPool.of(settings.sentinel(set, place), settings, settings.sentinels(), true),
            timeout,
            set.tls());
    return new SentinelRouter(new MappedServers(nodes, settings.addresses()), set, timeout);
  }
}
