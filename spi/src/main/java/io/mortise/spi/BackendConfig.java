package io.mortise.spi;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * The settings with which a provider opens a backend.
 *
 * @param uri the store's address; its user info may have a secret
 * @param commandTimeout the time that one command may take, including the time to connect
 * @param clientName the name of the connections at the server
 * @param properties further settings; the provider documents their names
 */
public record BackendConfig(
    URI uri, Duration commandTimeout, String clientName, Map<String, String> properties) {
  /** Copies the properties. */
  public BackendConfig {
    properties = Map.copyOf(properties);
  }

  /**
   * The URI without secrets, for messages. It leaves out everything between the scheme and the last
   * {@code @}, and everything after a {@code ?} or {@code #}.
   *
   * @return scheme, host, port and path, or scheme and name
   */
  public String endpoint() {
    String text = uri.toString();
    int at = text.lastIndexOf('@');
    String shown = at < 0 ? text : uri.getScheme() + "://" + text.substring(at + 1);
    return shown.replaceFirst("[?#].*", "");
  }

  @Override
  public String toString() {
    return "BackendConfig[" + endpoint() + ", timeout " + commandTimeout + ']';
  }
}
