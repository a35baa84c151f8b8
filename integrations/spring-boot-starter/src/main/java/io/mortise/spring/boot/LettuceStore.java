package io.mortise.spring.boot;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.mortise.backend.lettuce.LettuceBackend;
import io.mortise.spi.LockBackend;
import java.util.Objects;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.DomainSocketConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The store of the application's {@link LettuceConnectionFactory}: its address, user, password and
 * TLS, its client's options, and its client's threads if these are the application's own.
 */
final class LettuceStore {
  static final String FACTORY =
      "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory";
  static final String CONFIGURATION = "configuration";

  private final LettuceConnectionFactory factory;
  private final LettuceClientConfiguration client;

  /**
   * What the factory was made with. Its public methods answer with {@code localhost} for a
   * configuration that has no host.
   */
  private final RedisConfiguration configuration;

  private LettuceStore(LettuceConnectionFactory factory) {
    this.factory = factory;
    client = factory.getClientConfiguration();
    configuration =
        (RedisConfiguration)
            Objects.requireNonNull(
                new DirectFieldAccessor(factory).getPropertyValue(CONFIGURATION));
  }

  static OpenedStore open(LettuceConnectionFactory factory, String bean) {
    LettuceStore store = new LettuceStore(factory);
    return store.endsItsThreads() ? store.openWithTwin(bean) : new OpenedStore(store.open(bean));
  }

  /**
   * Whether a stop of the factory ends the threads of its client, also one that a start follows. A
   * subclass may make another client than its settings say.
   */
  private boolean endsItsThreads() {
    return client.getClientResources().isEmpty()
        && ClassUtils.getUserClass(factory) == LettuceConnectionFactory.class;
  }

  /** Opens the store with a factory of the same settings, which only the end of the locks stops. */
  private OpenedStore openWithTwin(String bean) {
    LettuceConnectionFactory twin = new LettuceConnectionFactory(configuration, client);
    try {
      return new OpenedStore(new LettuceStore(twin).open(bean), twin::destroy);
    } catch (RuntimeException | Error e) {
      twin.destroy();
      throw e;
    }
  }

  private LockBackend open(String bean) {
    if (!factory.isRunning()) {
      factory.start();
    }
    AbstractRedisClient own = factory.getRequiredNativeClient();
    if (own instanceof RedisClusterClient cluster) {
      return LettuceBackend.of(cluster);
    }
    return LettuceBackend.of((RedisClient) own, uri(bean));
  }

  private RedisURI uri(String bean) {
    if (configuration instanceof RedisSentinelConfiguration sentinels) {
      return sentinels(sentinels);
    }
    if (configuration instanceof DomainSocketConfiguration socket) {
      return withSettings(RedisURI.Builder.socket(socket.getSocket()));
    }
    if (RedisConfiguration.isHostAndPortAware(configuration)) {
      return withSettings(RedisURI.Builder.redis(factory.getHostName(), factory.getPort()));
    }
    throw new LockStoreException(
        "The connection factory '%s' has a %s, which locks cannot use"
            .formatted(bean, configuration.getClass().getSimpleName()),
        "Set mortise.uri to the address of the one server, or of its sentinels");
  }

  private RedisURI withSettings(RedisURI.Builder server) {
    server.withDatabase(factory.getDatabase()).withTimeout(client.getCommandTimeout());
    authenticate(server);
    if (!RedisConfiguration.isDomainSocketConfiguration(configuration)) {
      server
          .withSsl(client.isUseSsl())
          .withStartTls(client.isStartTls())
          .withVerifyPeer(client.getVerifyMode());
    }
    client.getClientName().ifPresent(server::withClientName);
    return server.build();
  }

  private void authenticate(RedisURI.Builder server) {
    RedisPassword password =
        RedisConfiguration.getPasswordOrElse(configuration, RedisPassword::none);
    String user = RedisConfiguration.getUsernameOrElse(configuration, () -> "");
    if (StringUtils.hasText(user)) {
      server.withAuthentication(user, password.toOptional().orElse(new char[0]));
    } else {
      password.toOptional().ifPresent(server::withPassword);
    }
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            each -> server.withAuthentication(each.createCredentialsProvider(configuration)));
  }

  private RedisURI sentinels(RedisSentinelConfiguration sentinels) {
    RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinels);
    uri.setDatabase(factory.getDatabase());
    settle(uri);
    uri.getSentinels().forEach(this::settle);
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(each -> {
          uri.setCredentialsProvider(each.createCredentialsProvider(sentinels));
          var watched = each.createSentinelCredentialsProvider(sentinels);
          uri.getSentinels().forEach(sentinel -> sentinel.setCredentialsProvider(watched));
        });
    return uri;
  }

  private void settle(RedisURI uri) {
    uri.setTimeout(client.getCommandTimeout());
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
    client.getClientName().ifPresent(uri::setClientName);
  }
}
