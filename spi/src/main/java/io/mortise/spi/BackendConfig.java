package io.mortise.spi;

import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * What a provider opens a backend with.
 *
 * @param uri where the store is; its user info may hold a secret
 * @param commandTimeout the time one command may take, connecting included
 * @param clientName what the connections call themselves at the server
 * @param properties further settings, by names the provider documents
 */
public record BackendConfig(
    URI uri, Duration commandTimeout, String clientName, Map<String, String> properties) {
  /** Copies the properties. */
  public BackendConfig {
    properties = Map.copyOf(properties);
  }

  /**
   * The URI as it may be shown: nothing that stands before the last {@code @}, wherever that is,
   * and nothing after a {@code ?} or {@code #}.
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
