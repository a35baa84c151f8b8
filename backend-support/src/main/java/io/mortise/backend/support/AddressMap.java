package io.mortise.backend.support;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where servers are reached that a cluster or sentinels name by another address, as behind NAT.
 * Jedis calls it a {@code HostAndPortMapper}, and Lettuce a {@code MappingSocketAddressResolver}.
 * Only connections use it: a server's identity stays the address by which it is named.
 *
 * @param reached by {@code host:port}, or by host for all ports of it
 */
public record AddressMap(Map<String, String> reached) {
  /** The property: {@code announced=reached}, with commas between several. */
  public static final String PROPERTY = "addresses";

  private static final String HOST = "(?:\\[[0-9a-fA-F:.]+]|[^\\[\\]:=,\\s]+)";

  private static final Pattern ENTRY =
      Pattern.compile(
          "\\s*(?<named>" + HOST + "(:\\d{1,5})?)=(?<reached>" + HOST + "(:\\d{1,5})?)\\s*");

  /**
   * Copies the map.
   *
   * @param reached by {@code host:port}, or by host
   */
  public AddressMap {
    reached = Map.copyOf(reached);
  }

  /**
   * Reads the property.
   *
   * @param config its properties
   * @return the map; empty without the property
   * @throws IllegalArgumentException an entry has another form, or a name comes twice
   */
  public static AddressMap of(BackendConfig config) {
    Map<String, String> reached = new LinkedHashMap<>();
    String text = config.properties().getOrDefault(PROPERTY, "");
    for (String entry : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      Matcher parts = ENTRY.matcher(entry);
      if (!parts.matches()) {
        throw new IllegalArgumentException(
            "property '%s' has the entry '%s'; write announced=reached, as in 10.0.0.1:6379=db.example.com:7001, with commas between several"
                .formatted(PROPERTY, entry));
      }
      if (reached.put(parts.group("named"), parts.group("reached")) != null) {
        throw new IllegalArgumentException(
            "property '%s' has '%s' twice; leave one out"
                .formatted(PROPERTY, parts.group("named")));
      }
    }
    return new AddressMap(reached);
  }

  /**
   * Opens a server where it is reached.
   *
   * @param <T> the type of what is opened
   * @param place {@code host:port}, as the server is named
   * @param opening takes the place where the server is reached
   * @return the result of {@code opening}
   * @throws BackendException that of {@code opening}; the message has both addresses
   */
  public <T> T open(String place, Function<String, T> opening) {
    String there = reach(place);
    try {
      return opening.apply(there);
    } catch (BackendException e) {
      if (there.equals(place)) {
        throw e;
      }
      String message =
          "%s, which the property '%s' says to reach at %s: %s; or correct that property"
              .formatted(place, PROPERTY, there, e.getMessage());
      throw new BackendException(e.outcome(), message, e);
    }
  }

  /** A cluster names an IPv6 address without brackets. */
  private String reach(String place) {
    int colon = place.lastIndexOf(':');
    String host = place.substring(0, colon);
    String named = host.contains(":") && !host.startsWith("[") ? '[' + host + ']' : host;
    String port = place.substring(colon);
    String there = reached.getOrDefault(named + port, reached.get(named));
    if (there == null) {
      return place;
    }
    return there.matches(".*:\\d{1,5}") && !there.endsWith("]") ? there : there + port;
  }
}
