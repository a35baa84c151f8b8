package io.mortise.backend.jedis;

import com.google.auto.service.AutoService;
import io.mortise.backend.support.AddressMap;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.TlsFiles;
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
import java.util.Locale;
import java.util.Set;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;

/**
 * Opens backends by URI: {@code redis://user:password@host:port/database} for one server, {@code
 * redis-cluster://user:password@host:port,host:port} for a cluster, and {@code rediss} in place of
 * {@code redis} for TLS. Only the host is required. The user may be left out alone: {@code
 * redis://:password@host}. User and password are percent-encoded. TLS uses the JVM's trust store
 * and no certificate of its own, unless the properties of {@link TlsFiles} name files. The server's
 * certificate must match the host name. With sentinels: {@code
 * redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master}, and the
 * properties {@code sentinel.user} and {@code sentinel.password}.
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
    return RedisAddress.SCHEMES;
  }

  @Override
  public LockBackend open(BackendConfig config) {
    boolean isSentinel = SentinelAddress.isMeantBy(config.uri());
    boolean isCluster = config.uri().getScheme().toLowerCase(Locale.ROOT).endsWith("-cluster");
    Set<String> others = isCluster ? Set.of(AddressMap.PROPERTY) : Set.of();
    TlsFiles tls = TlsFiles.of(config, isSentinel ? SentinelAddress.PROPERTIES : others);
    AddressMap addresses = AddressMap.of(config);
    if (isCluster) {
      ClusterAddress cluster = ClusterAddress.of(config.uri());
      return CLIENT.open(() -> connect(cluster, config, tls, addresses));
    }
    if (isSentinel) {
      SentinelAddress set = SentinelAddress.of(config.uri());
      return CLIENT.open(() -> connect(set, config, tls, addresses));
    }
    RedisAddress address = RedisAddress.of(config.uri());
    return CLIENT.open(() -> connect(address, config, tls));
  }

  private static LockBackend connect(RedisAddress address, BackendConfig config, TlsFiles tls) {
    return Opening.patiently(
        address, config.commandTimeout(), () -> connectOnce(address, config, tls));
  }

  private static LockBackend connectOnce(RedisAddress address, BackendConfig config, TlsFiles tls) {
    try {
      return connect(address, config, tls, true);
    } catch (BackendException e) {
      if (!RedisServers.isWithoutHello(e)) {
        throw e;
      }
      return connect(address, config, tls, false);
    }
  }

  private static JedisBackend connect(
      RedisAddress address, BackendConfig config, TlsFiles tls, boolean knowsHello) {
    ConnectionPool pool = pool(address, config, tls, knowsHello);
    return new JedisBackend(pool, address.toString(), JedisBackend.BEAT, pool::close);
  }

  private static LockBackend connect(
      ClusterAddress cluster, BackendConfig config, TlsFiles tls, AddressMap addresses) {
    JedisCluster nodes =
        new JedisCluster(
            place -> pool(cluster.at(place), config, tls, true),
            ConnectionPool::close,
            cluster.seeds().get(0).tls());
    return new ClusterRouter(
        new MappedNodes(nodes, addresses),
        cluster.places(),
        cluster.toString(),
        config.commandTimeout());
  }

  private static LockBackend connect(
      SentinelAddress set, BackendConfig config, TlsFiles tls, AddressMap addresses) {
    String user = config.properties().get(SentinelAddress.USER);
    String password = config.properties().get(SentinelAddress.PASSWORD);
    JedisSentinelNodes nodes =
        new JedisSentinelNodes(
            place -> pool(set.data(place), config, tls, true),
            place -> pool(set.sentinel(place, user, password), config, tls, true),
            config.commandTimeout(),
            set.tls());
    return new SentinelRouter(new MappedServers(nodes, addresses), set, config.commandTimeout());
  }

  private static ConnectionPool pool(
      RedisAddress address, BackendConfig config, TlsFiles tls, boolean knowsHello) {
    return OwnPool.of(address, config, tls, knowsHello);
  }
}
