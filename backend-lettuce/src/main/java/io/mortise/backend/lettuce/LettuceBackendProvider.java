package io.mortise.backend.lettuce;

import com.google.auto.service.AutoService;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.AsyncCloseable;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.GenericMapOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Opens a {@link LettuceBackend} with a client of its own, from {@code
 * redis[s]://[[user]:password@]host[:port][/database]}; {@code rediss} is TLS, checked against the
 * JVM's trust store and the host's name. User and password are percent-encoded. It knows no further
 * properties.
 */
@AutoService(LockBackendProvider.class)
@SuppressWarnings("FutureReturnValueIgnored") // What is not wanted any more ends unwatched.
public final class LettuceBackendProvider implements LockBackendProvider {
  private static final Delay RECONNECT_DELAY = Delay.constant(Duration.ofMillis(200));

  /** Made by {@link java.util.ServiceLoader}. */
  public LettuceBackendProvider() {}

  @Override
  public String name() {
    return "lettuce";
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
    RedisURI uri = uri(config);
    var resources =
        ClientResources.builder()
            .reconnectDelay(RECONNECT_DELAY)
            .timer(new StillTimer())
            .nettyCustomizer(new LongSleep())
            .build();
    RedisClient client = RedisClient.create(resources);
    client.setOptions(
        ClientOptions.builder()
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .maintNotificationsConfig(MaintNotificationsConfig.disabled())
            .socketOptions(SocketOptions.builder().connectTimeout(config.commandTimeout()).build())
            .build());
    return connect(client, uri, LettuceBackend.BEAT, resources::shutdown);
  }

  private static RedisURI uri(BackendConfig config) {
    RedisAddress address = RedisAddress.of(config.uri());
    RedisURI uri = new RedisURI(address.host(), address.port(), config.commandTimeout());
    uri.setSsl(address.tls());
    uri.setCredentialsProvider(
        new StaticCredentialsProvider(RedisCredentials.just(address.user(), address.password())));
    uri.setDatabase(address.database());
    uri.setClientName(config.clientName());
    return uri;
  }

  /** {@code atEnd} runs when the connections have been told to close. */
  static LettuceBackend connect(RedisClient client, RedisURI uri, Duration beat, Runnable atEnd) {
    var calls = client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
    var channels = calls.thenCompose(c -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    try {
      return new LettuceBackend(
          calls.join(), channels.join(), usable(uri, calls.join()), beat, atEnd);
    } catch (RuntimeException e) {
      calls.thenAccept(AsyncCloseable::closeAsync);
      channels.thenAccept(AsyncCloseable::closeAsync);
      atEnd.run();
      throw RedisServers.refusal(endpoint(uri), e);
    }
  }

  private static BackendInfo usable(RedisURI uri, StatefulRedisConnection<String, String> calls) {
    var output = new GenericMapOutput<>(StringCodec.UTF8);
    var hello = calls.async().dispatch(CommandType.HELLO, output).toCompletableFuture();
    var facts = hello.orTimeout(uri.getTimeout().toNanos(), TimeUnit.NANOSECONDS).join();
    return RedisServers.usable(endpoint(uri), facts);
  }

  private static String endpoint(RedisURI uri) {
    String place = uri.getSocket() == null ? uri.getHost() + ':' + uri.getPort() : uri.getSocket();
    return (uri.isSsl() ? "rediss://" : "redis://") + place + '/' + uri.getDatabase();
  }
}
