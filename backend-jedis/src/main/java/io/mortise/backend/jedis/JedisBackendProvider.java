package io.mortise.backend.jedis;

import com.google.auto.service.AutoService;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.SslOptions;

/**
 * Opens backends by URI: {@code redis://user:password@host:port/database}, {@code rediss} for TLS.
 * All but the host may be left out, and the user alone: {@code redis://:password@host}. User and
 * password are percent-encoded. TLS trusts the JVM's trust store, and the server's certificate must
 * name the host. There are no further properties.
 */
@AutoService(LockBackendProvider.class)
public final class JedisBackendProvider implements LockBackendProvider {
  /** Not {@link java.net.URI}'s parts: it knows no host whose name has an underscore. */
  private static final Pattern FORM =
      Pattern.compile(
          "redis(?<tls>s?)://((?<user>[^:@/]*):(?<password>[^@/]*)@)?(?<host>\\[[^]]+]|[^:@/?#]+)"
              + "(:(?<port>[0-9]{1,5}))?(/(?<database>[0-9]{0,5}))?",
          Pattern.CASE_INSENSITIVE);

  /** For {@link java.util.ServiceLoader}. */
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
    Matcher uri = FORM.matcher(config.uri().toString());
    if (!uri.matches() || number(uri.group("port"), 6379) > 65_535) {
      throw new IllegalArgumentException(
          config.endpoint() + " is not of the form redis://user:password@host:port/database");
    }
    RedisClient client =
        RedisClient.builder()
            .hostAndPort(uri.group("host"), number(uri.group("port"), 6379))
            .clientConfig(settings(uri, config))
            .build();
    try {
      return JedisBackend.open(client, config.endpoint(), client::close);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  private static DefaultJedisClientConfig settings(Matcher uri, BackendConfig config) {
    return DefaultJedisClientConfig.builder()
        .resp3()
        .sslOptions(uri.group("tls").isEmpty() ? null : SslOptions.defaults())
        .user(decoded(uri.group("user")))
        .password(decoded(uri.group("password")))
        .database(number(uri.group("database"), 0))
        .clientName(config.clientName())
        .timeoutMillis(Math.toIntExact(config.commandTimeout().toMillis()))
        .build();
  }

  private static int number(@Nullable String digits, int otherwise) {
    return digits == null || digits.isEmpty() ? otherwise : Integer.parseInt(digits);
  }

  private static @Nullable String decoded(@Nullable String part) {
    if (part == null || part.isEmpty()) {
      return null;
    }
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
