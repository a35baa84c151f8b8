package io.mortise.backend.support;

import io.mortise.spi.Credentials;
import java.net.URI;
import java.util.Set;
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
 * @param credentials user and password; null unless given
 * @param database 0 unless given
 */
public record RedisAddress(
    boolean tls, String host, int port, @Nullable Credentials credentials, int database) {
  /** The schemes of all URIs: of single servers, clusters and sets of sentinels. */
  public static final Set<String> SCHEMES =
      Stream.of("redis", "rediss", "valkey", "valkeys")
          .flatMap(each -> Stream.of(each, each + "-cluster", each + "-sentinel"))
          .collect(Collectors.toUnmodifiableSet());

  private static final int DEFAULT_PORT = 6379;
  private static final int HIGHEST_PORT = 65_535;

  private static final Pattern FORM =
      Pattern.compile(
          "(?:redis|valkey)(?<tls>s?)://((?<user>[^:@/?#]*):(?<password>[^@/?#]+)@)?"
              + "(?<host>\\[[^]/]+]|[^]\\[:@/?#,]+)(:(?<port>\\d{1,5}))?(/(?<database>\\d{0,5}))?",
          Pattern.CASE_INSENSITIVE);

  private static final String FORM_IN_WORDS = "redis[s]://[[user]:password@]host[:port][/database]";

  /**
   * Reads a URI. The message of a refusal quotes no part of it, because a secret that is not
   * encoded may end up in any part.
   *
   * @param uri of the form above
   * @return the parts, decoded
   * @throws IllegalArgumentException the URI has another form
   */
  public static RedisAddress of(URI uri) {
    UriParts parts = UriParts.of(uri, FORM, FORM_IN_WORDS);
    int port = parts.number("port", DEFAULT_PORT);
    if (port < 1 || port > HIGHEST_PORT) {
      throw UriFault.in(uri, FORM_IN_WORDS);
    }
    return new RedisAddress(
        parts.tls(), parts.text("host"), port, parts.credentials(), parts.number("database", 0));
  }

  /**
   * The address of a server without a user.
   *
   * @param place {@code host:port}
   * @param tls whether it uses TLS
   * @return the address, with database 0
   */
  public static RedisAddress at(String place, boolean tls) {
    return at(place, tls, null, 0);
  }

  /**
   * The address of another server with the same settings.
   *
   * @param place {@code host:port}
   * @return the address
   */
  public RedisAddress at(String place) {
    return at(place, tls, credentials, database);
  }

  /**
   * The address of one of several servers that have these settings in common.
   *
   * @param place {@code host:port}
   * @param tls whether it uses TLS
   * @param credentials user and password; null if there are none
   * @param database the number of its database
   * @return the address
   */
  public static RedisAddress at(
      String place, boolean tls, @Nullable Credentials credentials, int database) {
    int colon = place.lastIndexOf(':');
    int port = Integer.parseInt(place.substring(colon + 1));
    return new RedisAddress(tls, place.substring(0, colon), port, credentials, database);
  }

  /** The URI without user and password. */
  @Override
  public String toString() {
    return (tls ? "rediss://" : "redis://") + host + ':' + port + '/' + database;
  }
}
