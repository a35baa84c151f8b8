package io.mortise.spring.boot;

import io.mortise.backend.jedis.JedisBackend;
import io.mortise.spi.LockBackend;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/**
 * The store of the application's {@link JedisConnectionFactory}: its address, user, password and
 * TLS, and what its customizer sets, such as a credentials provider. The factory lends nobody its
 * connections, so the locks have a pool of their own.
 */
final class JedisStore {
  private JedisStore() {}

  static OpenedStore open(JedisConnectionFactory factory, String bean, int poolSize) {
    if (factory.isRedisClusterAware() || factory.isRedisSentinelAware()) {
      throw new LockStoreException(
          "The connection factory '%s' of Jedis has a %s"
              .formatted(bean, factory.isRedisClusterAware() ? "cluster" : "list of sentinels"),
          "Set mortise.uri to %s, or define a LockBackend bean with JedisBackend"
              .formatted(
                  factory.isRedisClusterAware()
                      ? "redis-cluster://host:port,host:port"
                      : "redis-sentinel://host:port,host:port#master"));
    }
    HostAndPort server = new HostAndPort(factory.getHostName(), factory.getPort());
    LockBackend backend = JedisBackend.ofServer(server, settings(factory), poolSize);
    return new OpenedStore(backend, backend::close);
  }

  @SuppressWarnings("deprecation") // what replaces it is not in Jedis 6 and 7
  private static DefaultJedisClientConfig settings(JedisConnectionFactory factory) {
    JedisClientConfiguration client = factory.getClientConfiguration();
    RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
    var settings =
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis(Math.toIntExact(client.getConnectTimeout().toMillis()))
            .socketTimeoutMillis(Math.toIntExact(client.getReadTimeout().toMillis()))
            .database(factory.getDatabase())
            .user(server == null ? null : server.getUsername())
            .password(factory.getPassword())
            .ssl(client.isUseSsl());
    client.getClientName().ifPresent(settings::clientName);
    client.getSslSocketFactory().ifPresent(settings::sslSocketFactory);
    client.getSslParameters().ifPresent(settings::sslParameters);
    client.getHostnameVerifier().ifPresent(settings::hostnameVerifier);
    client.getCustomizer().ifPresent(each -> each.customize(settings));
    return settings.build();
  }
}
