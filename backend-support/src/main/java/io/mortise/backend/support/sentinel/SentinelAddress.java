package io.mortise.backend.support.sentinel;

import io.mortise.backend.support.AddressMap;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.UriFault;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
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
 * @param user null unless given
 * @param password null unless given
 * @param database 0 unless given
 * @param master the name by which the sentinels know the master
 */
public record SentinelAddress(
    boolean tls,
    List<String> sentinels,
    @Nullable String user,
    @Nullable String password,
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
    Matcher parts = FORM.matcher(uri.toString());
    if (!parts.matches() || !portsExist(parts.group("places"))) {
      throw UriFault.in(
          uri,
          "redis[s]-sentinel://[[user]:password@]host[:port][,host[:port]]…[/database]#master");
    }
    String master = parts.group("master") == null ? parts.group("query") : parts.group("master");
    if (master == null) {
      throw new IllegalArgumentException(
          "the URI names no master; add the name by which the sentinels know it, as in"
              + " redis-sentinel://host:26379#mymaster");
    }
    return new SentinelAddress(
        !parts.group("tls").isEmpty(),
        places(parts.group("places")).toList(),
        decoded(parts.group("user")),
        decoded(parts.group("password")),
        number(parts.group("database")),
        String.valueOf(decoded(master)));
  }

  private static Stream<String> places(String list) {
    return Arrays.stream(list.split(","))
        .map(place -> place.matches(".*:\\d+") ? place : place + DEFAULT_PORT);
  }

  private static boolean portsExist(String list) {
    return places(list)
        .mapToInt(place -> number(place.substring(place.lastIndexOf(':') + 1)))
        .allMatch(port -> port > 0 && port <= HIGHEST_PORT);
  }

  private static int number(@Nullable String digits) {
    return digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }

  private static @Nullable String decoded(@Nullable String part) {
    return part == null || part.isEmpty()
        ? null
        : URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /**
   * The address of one of the servers with data.
   *
   * @param place its host and port
   * @return an address with this one's TLS, user, password and database
   */
  public RedisAddress data(String place) {
    return at(place, user, password, database);
  }

  /**
   * The address of a sentinel. Sentinels have a user and a password of their own, and no databases.
   *
   * @param place its host and port
   * @param ownUser the sentinels' user; null for the default user
   * @param ownPassword the sentinels' password; null if they ask for none
   * @return an address with this one's TLS
   */
  public RedisAddress sentinel(
      String place, @Nullable String ownUser, @Nullable String ownPassword) {
    return at(place, ownUser, ownPassword, 0);
  }

  private RedisAddress at(
      String place, @Nullable String name, @Nullable String secret, int number) {
    int colon = place.lastIndexOf(':');
    int port = number(place.substring(colon + 1));
    return new RedisAddress(tls, place.substring(0, colon), port, name, secret, number);
  }

  /** The URI without user and password. */
  @Override
  public String toString() {
    String scheme = tls ? "rediss-sentinel://" : "redis-sentinel://";
    return scheme + String.join(",", sentinels) + '/' + database + '#' + master;
  }
}
