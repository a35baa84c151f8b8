package io.mortise.backend.lettuce;

import com.google.auto.service.AutoService;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.DefaultClientResources;
import io.mortise.backend.support.ClientRange;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.backend.support.TlsFiles;
import io.mortise.backend.support.Waits;
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
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Opens a {@link LettuceBackend} with a client of its own, by URI: {@code
 * redis[s]://[[user]:password@]host[:port][/database]}, or for a cluster {@code
 * redis[s]-cluster://[[user]:password@]host[:port][,host[:port]]…}. {@code rediss} is TLS, with the
 * certificate checked against the host name and the JVM's trust store. Properties of {@link
 * TlsFiles} name other files, and the backend's own certificate. User and password are
 * percent-encoded. With sentinels: {@code
 * redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master}, and the
 * properties {@code sentinel.user} and {@code sentinel.password}.
 *
 * <p>A plain connection without data comes first. A JVM takes seconds to load Lettuce, and a port
 * without a listener is then reported before.
 */
@AutoService(LockBackendProvider.class)
@SuppressWarnings({
  "exports", // an application needs no annotations of auto-service
  "FutureReturnValueIgnored" // ends unwatched
})
public final class LettuceBackendProvider implements LockBackendProvider {
  /** How often to try again after an attempt that failed without its reason. */
  private static final int UNEXPLAINED = 3;

  private static final Pattern WITHOUT_REASON =
      Pattern.compile("RedisHandshakeHandler|Connection disconnected|Currently not connected");

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
    return RedisAddress.SCHEMES;
  }

  @Override
  public LockBackend open(BackendConfig config) {
    RedisSettings settings = RedisSettings.of(config);
    if (settings.isCluster()) {
      ClusterAddress cluster = ClusterAddress.of(config.uri());
      return CLIENT.open(() -> settings.open(() -> open(cluster, settings)));
    }
    if (SentinelAddress.isMeantBy(config.uri())) {
      SentinelAddress set = SentinelAddress.of(config.uri());
      return CLIENT.open(() -> settings.open(() -> open(set, settings)));
    }
    RedisAddress address = RedisAddress.of(config.uri());
    return CLIENT.open(() -> settings.open(() -> open(address, settings)));
  }

  private static LockBackend open(RedisAddress address, RedisSettings settings) {
    BackendConfig config = settings.config();
    RedisServers.knock(address, config.commandTimeout());
    RedisURI uri = OwnClient.uri(address, config, settings.servers());
    ClientOptions options = options(config, settings.tls());
    try (SharedThreads threads = SharedThreads.start(1)) { // they go on until the client ends
      return connect(threads, options, uri, LettuceBackend.BEAT, RedisServers::usable);
    }
  }

  private static LockBackend open(ClusterAddress cluster, RedisSettings settings) {
    BackendConfig config = settings.config();
    LettuceCluster nodes =
        new LettuceCluster(
            SharedThreads.start(DefaultClientResources.DEFAULT_IO_THREADS),
            options(config, settings.tls()),
            place -> OwnClient.uri(cluster.at(place), config, settings.servers()));
    return new ClusterRouter(
        new MappedNodes(nodes, settings.addresses()),
        cluster.places(),
        cluster.toString(),
        config.commandTimeout());
  }

  private static LockBackend open(SentinelAddress set, RedisSettings settings) {
    BackendConfig config = settings.config();
    LettuceSentinelNodes nodes =
        new LettuceSentinelNodes(
            SharedThreads.start(1),
            options(config, settings.tls()),
            place -> OwnClient.uri(set.data(place), config, settings.servers()),
            place -> OwnClient.uri(settings.sentinel(set, place), config, settings.sentinels()));
    return new SentinelRouter(
        new MappedServers(nodes, settings.addresses()), set, config.commandTimeout());
  }

  /** Each connection that uses TLS is made with the certificates that the files have then. */
  private static ClientOptions options(BackendConfig config, TlsFiles tls) {
    SocketOptions socket = SocketOptions.builder().connectTimeout(config.commandTimeout()).build();
    SslOptions certificates =
        SslOptions.builder()
            .sslContext(context -> context.keyManager(tls.own()).trustManager(tls.trusted()))
            .build();
    return ClientOptions.builder().socketOptions(socket).sslOptions(certificates).build();
  }

  /** Opens a backend, and tries again with another client while time runs out. */
  static LettuceBackend connect(
      SharedThreads threads,
      ClientOptions options,
      RedisURI uri,
      Duration beat,
      LettuceBackend.Check check) {
    Supplier<LettuceBackend> attempt =
        () -> explained(() -> connect(threads.client(options), uri, beat, check));
    if (uri.getHost() == null) {
      return attempt.get(); // by a socket file
    }
    RedisAddress server =
        new RedisAddress(uri.isSsl(), uri.getHost(), uri.getPort(), null, uri.getDatabase());
    return Opening.patiently(server, uri.getTimeout(), attempt);
  }

  /**
   * Tries again if an attempt failed without its reason. On a busy machine the server may refuse a
   * handshake before Lettuce looks at it. Lettuce then says only that its handler is gone. Or the
   * time of a handshake runs out just after it succeeded. Then the first command finds the
   * connection closed.
   */
  static <B> B explained(Supplier<B> attempt) {
    for (int left = UNEXPLAINED; ; left--) {
      try {
        return attempt.get();
      } catch (BackendException e) {
        if (left == 0 || !WITHOUT_REASON.matcher(String.valueOf(e.getMessage())).find()) {
          throw e;
        }
      }
    }
  }

  /** Opens a backend, and closes the client if the server cannot be used. */
  static LettuceBackend connect(
      OwnClient client, RedisURI uri, Duration beat, LettuceBackend.Check check) {
    return RedisServers.open(
        endpoint(uri),
        () -> new LettuceBackend(client, uri, beat, check),
        () -> Waits.awaitEnd(client.close(), OwnClient.LONGEST_END));
  }

  static String endpoint(RedisURI uri) {
    String place = uri.getSocket() == null ? uri.getHost() + ':' + uri.getPort() : uri.getSocket();
    return (uri.isSsl() ? "rediss://" : "redis://") + place + '/' + uri.getDatabase();
  }
}
