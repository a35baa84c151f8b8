package io.mortise.backend.lettuce;

import com.google.auto.service.AutoService;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Opens a {@link LettuceBackend} with a client of its own, from {@code
 * redis[s]://[[user]:password@]host[:port][/database]}; {@code rediss} is TLS, checked against the
 * JVM's trust store and the host's name. User and password are percent-encoded. It knows no further
 * properties.
 */
@AutoService(LockBackendProvider.class)
public final class LettuceBackendProvider implements LockBackendProvider {
  private static final Duration RECONNECT_DELAY = Duration.ofMillis(200);
  private static final String FORM = "redis[s]://[[user]:password@]host[:port][/database]";
  private static final Pattern SHAPE =
      Pattern.compile(
          "rediss?://([^:@/?#]*:[^@/?#]+@)?(?<host>\\[[^]/]+]|[^]\\[:@/?#]+)(:(?<port>\\d{1,5}))?(/\\d{0,9})?");

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
  @SuppressWarnings("FutureReturnValueIgnored") // The last threads end unwatched.
  public LockBackend open(BackendConfig config) {
    RedisURI uri = parse(config);
    ClientResources resources =
        ClientResources.builder().reconnectDelay(Delay.constant(RECONNECT_DELAY)).build();
    RedisClient client = RedisClient.create(resources);
    client.setOptions(options(config.commandTimeout()));
    return Opening.open(
        client,
        uri,
        () ->
            client
                .shutdownAsync(0, 1, TimeUnit.SECONDS)
                .thenRun(() -> resources.shutdown(0, 1, TimeUnit.SECONDS)));
  }

  private static ClientOptions options(Duration timeout) {
    return ClientOptions.builder()
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .maintNotificationsConfig(MaintNotificationsConfig.disabled())
        .socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
        .timeoutOptions(TimeoutOptions.create())
        .build();
  }

  /** Its message shows nothing of the URI: a secret not encoded may end up in any part of it. */
  private static RedisURI parse(BackendConfig config) {
    Matcher shape = SHAPE.matcher(config.uri().toString());
    int port =
        shape.matches()
            ? Integer.parseInt(Objects.requireNonNullElse(shape.group("port"), "6379"))
            : 0;
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "the URI must read " + FORM + ", user and password percent-encoded");
    }
    RedisURI uri = RedisURI.create(config.uri());
    uri.setHost(shape.group("host"));
    uri.setPort(port);
    uri.setTimeout(config.commandTimeout());
    uri.setClientName(config.clientName());
    return uri;
  }
}
