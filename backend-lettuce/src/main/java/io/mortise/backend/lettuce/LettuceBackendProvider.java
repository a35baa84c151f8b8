package io.mortise.backend.lettuce;

import com.google.auto.service.AutoService;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.time.Duration;
import java.util.Set;

/**
 * Opens a {@link LettuceBackend} with a client of its own, by URI: {@code
 * redis[s]://[[user]:password@]host[:port][/database]}. {@code rediss} is TLS, with the certificate
 * checked against the JVM's trust store and the host name. User and password are percent-encoded.
 * There are no further properties.
 *
 * <p>A plain connection without data comes first. A JVM takes seconds to load Lettuce, and a port
 * without a listener is then reported before.
 */
@AutoService(LockBackendProvider.class)
@SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
public final class LettuceBackendProvider implements LockBackendProvider {
  static final ClientRange CLIENT =
      new ClientRange("mortise-backend-lettuce", "Lettuce", "6.6 to 7.x", RedisURI.class);

  /** Called by {@link java.util.ServiceLoader}. */
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
    RedisAddress address = RedisAddress.of(config.uri());
    return CLIENT.open(() -> open(address, config));
  }

  private static LockBackend open(RedisAddress address, BackendConfig config) {
    RedisServers.knock(address, config.commandTimeout());
    RedisURI uri = OwnClient.uri(address, config);
    ScheduledNettyTimer timer = new ScheduledNettyTimer();
    ClientResources resources = ClientResources.builder().timer(timer).build();
    SocketOptions socket = SocketOptions.builder().connectTimeout(config.commandTimeout()).build();
    ClientOptions options = ClientOptions.builder().socketOptions(socket).build();
    OwnClient client = new OwnClient(resources, options, timer::stop, resources::shutdown);
    return connect(client, uri, LettuceBackend.BEAT);
  }

  /** Opens a backend, and closes the client if the server cannot be used. */
  static LettuceBackend connect(OwnClient client, RedisURI uri, Duration beat) {
    return RedisServers.open(
        endpoint(uri), () -> new LettuceBackend(client, uri, beat), client::close);
  }

  static String endpoint(RedisURI uri) {
    String place = uri.getSocket() == null ? uri.getHost() + ':' + uri.getPort() : uri.getSocket();
    return (uri.isSsl() ? "rediss://" : "redis://") + place + '/' + uri.getDatabase();
  }
}
