package io.mortise.spi;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The settings with which a provider opens a backend.
 *
 * @param uri the store's address; its user info may have a secret
 * @param commandTimeout the time that one command may take, including the time to connect
 * @param clientName the name of the connections at the server
 * @param properties further settings, whose values are secrets; the provider documents their names
 * @param credentials users and passwords that change; a provider that has no use for one refuses it
 */
public record BackendConfig(
    URI uri,
    Duration commandTimeout,
    String clientName,
    Map<String, String> properties,
    CredentialSuppliers credentials) {
  /**
   * A scheme with places and a path, or with a name. What follows a colon is the number of a port.
   */
  private static final Pattern SHOWN =
      Pattern.compile(
          "[^:]+:(//(HOST(:\\d{1,5})?(,HOST(:\\d{1,5})?)*)?(/.*)?|[^:]*)"
              .replace("HOST", "([^\\[\\]:/,]+|\\[[^]]*])"));

  /** Copies the properties. */
  public BackendConfig {
    properties = Map.copyOf(properties);
  }

  /**
   * Settings with the user and password of the URI.
   *
   * @param uri as above
   * @param commandTimeout as above
   * @param clientName as above
   * @param properties as above
   */
  public BackendConfig(
      URI uri, Duration commandTimeout, String clientName, Map<String, String> properties) {
    this(uri, commandTimeout, clientName, properties, CredentialSuppliers.NONE);
  }

  /**
   * Refuses suppliers of credentials, for a store that has no users.
   *
   * @throws IllegalArgumentException there is one
   */
  public void requireNoCredentials() {
    if (!credentials.equals(CredentialSuppliers.NONE)) {
      throw new IllegalArgumentException(
          "%s asks for no user and no password; leave out credentials(…) and sentinelCredentials(…)"
              .formatted(endpoint()));
    }
  }

  /**
   * Refuses properties that the provider does not know. A misspelled name would have no effect.
   *
   * @param known the names that the provider understands for this URI
   * @throws IllegalArgumentException there is another; the message quotes no value
   */
  public void requireOnly(Set<String> known) {
    for (String name : properties.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "property '%s' is not known for %s; known are: %s"
                .formatted(name, endpoint(), known.isEmpty() ? "none" : new TreeSet<>(known)));
      }
    }
  }

  /**
   * The URI without secrets, for messages. It leaves out everything between the scheme and the last
   * {@code @}, and everything after a {@code ?} or {@code #}. If what is left may be no place but a
   * user and a password, it leaves out that too.
   *
   * @return scheme, host, port and path, or scheme and name
   */
  public String endpoint() {
    String text = uri.toString();
    int at = text.lastIndexOf('@');
    String shown = at < 0 ? text : uri.getScheme() + "://" + text.substring(at + 1);
    String place = shown.replaceFirst("(?s)[?#].*", "");
    return SHOWN.matcher(place).matches() ? place : uri.getScheme() + ":…";
  }

  @Override
  public String toString() {
    return "BackendConfig[" + endpoint() + ", timeout " + commandTimeout + ']';
  }
}
