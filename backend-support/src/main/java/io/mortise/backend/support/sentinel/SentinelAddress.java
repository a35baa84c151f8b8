package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.AddressMap;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.UriFault;
import io.mortise.backend.support.UriParts;
import io.mortise.spi.Credentials;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The address of a master that sentinels name, as given by a URI: {@code
 * redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master}. User and
 * password are percent-encoded, and are those of the master. {@code ?sentinelMasterId=master} may
 * take the place of {@code #master}.
 *
 * @param tls whether the scheme is {@code rediss-sentinel}
 * @param sentinels at least one, as {@code host:port}
 * @param credentials user and password of the master; null unless given
 * @param database 0 unless given
 * @param master the name by which the sentinels know the master
 */
public record SentinelAddress(
    boolean tls,
    List<String> sentinels,
    @Nullable Credentials credentials,
    int database,
    String master) {
  /** The property with the user of the sentinels. */
  public static final String USER = "sentinel.user";

  /** The property with the password of the sentinels. */
  public static final String PASSWORD = "sentinel.password";

  /** All properties that go with a URI of sentinels. */
  public static final Set<String> PROPERTIES = Set.of(USER, PASSWORD, AddressMap.PROPERTY);

  private static final String DEFAULT_PORT = ":26379";
  private static final int HIGHEST_PORT = 65_535;

  private static final String PLACE = "(?:\\[[^]/]+]|[^]\\[:@/?#,]+)(?::\\d{1,5})?";

  private static final Pattern FORM =
      Pattern.compile(
          "(?:redis|valkey)(?<tls>s?)-sentinel://((?<user>[^:@/?#,]*):(?<password>[^@/?#]+)@)?"
              + ("(?<places>" + PLACE + "(?:," + PLACE + ")*)(/(?<database>\\d{0,5}))?")
              + "(\\?sentinelMasterId=(?<query>[^#&@]+))?(#(?<master>[^@:/?#]+))?",
          Pattern.CASE_INSENSITIVE);

  private static final String FORM_IN_WORDS =
      "redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master";

  /** Copies the list. */
  public SentinelAddress {
    sentinels = List.copyOf(sentinels);
  }

  /**
   * Whether a URI has a scheme of sentinels.
   *
   * @param uri any URI
   * @return true for {@code redis-sentinel} and {@code rediss-sentinel}
   */
  public static boolean isMeantBy(URI uri) {
    return String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT).endsWith("-sentinel");
  }

  /**
   * Reads a URI. The message of a refusal quotes no part of it, because a secret that is not
   * encoded may end up in any part.
   *
   * @param uri of the form above
   * @return the parts, decoded
   * @throws IllegalArgumentException the URI has another form, or names no master
   */
  public static SentinelAddress of(URI uri) {
    UriParts parts = UriParts.of(uri, FORM, FORM_IN_WORDS);
    if (!portsExist(parts.text("places"))) {
      throw UriFault.in(uri, FORM_IN_WORDS);
    }
    String first = parts.decoded("master");
    String master = first == null ? parts.decoded("query") : first;
    if (master == null) {
      throw new IllegalArgumentException(
          "the URI names no master; add the name by which the sentinels know it, as in"
              + " redis-sentinel://host:26379#mymaster");
    }
    return new SentinelAddress(
        parts.tls(),
        places(parts.text("places")).toList(),
        parts.credentials(),
        parts.number("database", 0),
        master);
  }

  /**
   * The user and password of the sentinels, as properties have them.
   *
   * @param properties those of the backend's settings
   * @return null if they have none
   * @throws IllegalArgumentException there is a user without a password
   */
  public static @Nullable Credentials ofSentinels(Map<String, String> properties) {
    String password = properties.get(PASSWORD);
    if (password == null && properties.containsKey(USER)) {
      throw new IllegalArgumentException(
          "property '%s' needs '%s' too; set both, or leave out both".formatted(USER, PASSWORD));
    }
    return password == null ? null : new Credentials(properties.get(USER), password);
  }

  private static Stream<String> places(String list) {
    return Arrays.stream(list.split(","))
        .map(place -> place.matches(".*:\\d+") ? place : place + DEFAULT_PORT);
  }

  private static boolean portsExist(String list) {
    return places(list)
        .mapToInt(place -> Integer.parseInt(place.substring(place.lastIndexOf(':') + 1)))
        .allMatch(port -> port > 0 && port <= HIGHEST_PORT);
  }

  /**
   * The address of one of the servers with data.
   *
   * @param place its host and port
   * @return an address with this one's TLS, user, password and database
   */
  public RedisAddress data(String place) {
    return RedisAddress.at(place, tls, credentials, database);
  }

  /**
   * The address of a sentinel. Sentinels have a user and a password of their own, and no databases.
   *
   * @param place its host and port
   * @param own the sentinels' user and password; null if they ask for none
   * @return an address with this one's TLS
   */
  public RedisAddress sentinel(String place, @Nullable Credentials own) {
    return RedisAddress.at(place, tls, own, 0);
  }

  /** The URI without user and password. */
  @Override
  public String toString() {
    String scheme = tls ? "rediss-sentinel://" : "redis-sentinel://";
    return scheme + String.join(",", sentinels) + '/' + database + '#' + master;
  }
}
