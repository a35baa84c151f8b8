package io.mortise.backend.vertx;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Makes clients of one server. Each is for one connection: it has the certificates and credentials
 * of the moment, and its end is the end of the connection. Thread-safe.
 */
class Connector {
  private final RedisSettings settings;
  private final RedisAddress address;

  Connector(RedisSettings settings, RedisAddress address) {
    this.settings = settings;
    this.address = address;
  }

  RedisSettings settings() {
    return settings;
  }

  RedisAddress address() {
    return address;
  }

  BackendConfig config() {
    return settings.config();
  }

  /** How long one attempt to connect may take. */
  Duration attempt() {
    return Opening.attempt(config().commandTimeout());
  }

  @Nullable ChangingCredentials changing() {
    return settings.servers();
  }

  /** What the next connection authenticates with; a password without characters stands for none. */
  CompletableFuture<Answer> credentials() {
    ChangingCredentials changing = settings.servers();
    if (changing != null) {
      return changing.ask();
    }
    Credentials fixed = address.credentials();
    return CompletableFuture.completedFuture(
        new Answer(0, fixed == null ? Credentials.of("") : fixed));
  }

  /** A client that does not connect yet. */
  Redis client(Loop loop, Credentials credentials) {
    RedisOptions options =
        new RedisOptions()
            .setConnectionString(uri())
            .setMaxPoolSize(1)
            .setPoolCleanerInterval(-1)
            .setNetClientOptions(net());
    if (!credentials.password().isEmpty()) {
      options.setPassword(credentials.password());
      options.setUser(Objects.requireNonNullElse(credentials.user(), "default"));
    }
    return Redis.createClient(loop.vertx, options);
  }

  private String uri() {
    return "%s://%s:%d%s?client=%s"
        .formatted(
            address.tls() ? "rediss" : "redis",
            address.host(),
            address.port(),
            address.database() == 0 ? "" : "/" + address.database(),
            URLEncoder.encode(config().clientName(), StandardCharsets.UTF_8));
  }

  private NetClientOptions net() {
    int millis = Math.toIntExact(Math.max(1, config().commandTimeout().toMillis()));
    NetClientOptions options = new NetClientOptions().setConnectTimeout(millis);
    if (address.tls()) {
      options
          .setSsl(true)
          .setHostnameVerificationAlgorithm("HTTPS")
          .setTrustOptions(TrustOptions.wrap(settings.tls().trusted()))
          .setKeyCertOptions(KeyCertOptions.wrap(settings.tls().own()));
    }
    return options;
  }

  /**
   * Refuses names that Vert.x cannot read.
   *
   * @throws IllegalArgumentException the name has a character that belongs in no host name
   */
  static void requireReadable(RedisAddress address) {
    if (URI.create("redis://" + address.host() + ':' + address.port()).getHost() == null) {
      throw new IllegalArgumentException(
          "the Redis client of Vert.x cannot read the host of %s; write its IP address, or a name of letters, digits, hyphens and dots"
              .formatted(address));
    }
  }

  /** The server, for messages. */
  String endpoint() {
    return address.toString();
  }

  void knock() {
    RedisServers.knock(address, config().commandTimeout());
  }
}
