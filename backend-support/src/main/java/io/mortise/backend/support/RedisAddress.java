package io.mortise.backend.support;

import io.mortise.spi.Credentials;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Redis server, as given by a URI: {@code
 * redis[s]://[[user]:password@]host[:port][/database]}. User and password are percent-encoded.
 * {@code valkey} means the same as {@code redis}, and {@code valkeys} the same as {@code rediss}.
 *
 * @param tls whether the scheme is {@code rediss}
 * @param host a name or an address, IPv6 in brackets
 * @param port 1 to 65535
 * @param user null unless given
 * @param password null unless given
 * @param database 0 unless given
 */
public record RedisAddress(
    boolean tls,
    String host,
    int port,
    @Nullable String user,
    @Nullable String password,
    int database) {
  /** The schemes of all URIs: of single servers, clusters and sets of sentinels. */
  public static final Set<String> SCHEMES =
      Stream.of("redis", "rediss", "valkey", "valkeys")
          .flatMap(each -> Stream.of(each, each + "-cluster", each + "-sentinel"))
          .collect(Collectors.toUnmodifiableSet());

  private static final int DEFAULT_PORT = 6379;
  private static final int HIGHEST_PORT = 65_535;

  /**
   * Used in place of {@link URI}'s own parts: {@code URI} finds no host in a name with an
   * underscore.
   */
  private static final Pattern FORM =
      Pattern.compile(
          "(?:redis|valkey)(?<tls>s?)://((?<user>[^:@/?#]*):(?<password>[^@/?#]+)@)?"
              + "(?<host>\\[[^]/]+]|[^]\\[:@/?#,]+)(:(?<port>\\d{1,5}))?(/(?<database>\\d{0,5}))?",
          Pattern.CASE_INSENSITIVE);

  /**
   * Reads a URI. The message of a refusal quotes no part of it, because a secret that is not
   * encoded may end up in any part.
   *
   * @param uri of the form above
   * @return the parts, decoded
   * @throws IllegalArgumentException the URI has another form
   */
  public static RedisAddress of(URI uri) {
    Matcher parts = FORM.matcher(uri.toString());
    boolean matches = parts.matches();
    int port = matches ? number(parts.group("port"), DEFAULT_PORT) : 0;
    if (port < 1 || port > HIGHEST_PORT) {
      throw UriFault.in(uri, "redis[s]://[[user]:password@]host[:port][/database]");
    }
    return new RedisAddress(
        !parts.group("tls").isEmpty(),
        parts.group("host"),
        port,
        decoded(parts.group("user")),
        decoded(parts.group("password")),
        number(parts.group("database"), 0));
  }

  /**
   * The address of a server without a user.
   *
   * @param place {@code host:port}
   * @param tls whether it uses TLS
   * @return the address, with database 0
   */
  public static RedisAddress at(String place, boolean tls) {
    return new RedisAddress(tls, "", DEFAULT_PORT, null, null, 0).at(place);
  }

  /**
   * The address of another server with the same settings.
   *
   * @param place {@code host:port}
   * @return the address
   */
  public RedisAddress at(String place) {
    int colon = place.lastIndexOf(':');
    int other = Integer.parseInt(place.substring(colon + 1));
    return new RedisAddress(tls, place.substring(0, colon), other, user, password, database);
  }

  private static int number(@Nullable String digits, int otherwise) {
    return digits == null || digits.isEmpty() ? otherwise : Integer.parseInt(digits);
  }

  private static @Nullable String decoded(@Nullable String part) {
    return part == null || part.isEmpty()
        ? null
        : URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * User and password, if there are any.
   *
   * @return null without a password
   */
  public @Nullable Credentials credentials() {
    return password == null ? null : new Credentials(user, password);
  }

  /** The URI without user and password. */
  @Override
  public String toString() {
    return (tls ? "rediss://" : "redis://") + host + ':' + port + '/' + database;
  }
}
