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
   * The URI as it may be shown: without user info and query.
   *
   * @return scheme, host, port and path, or scheme and name
   */
  public String endpoint() {
    if (uri.getRawAuthority() == null) {
      return uri.isOpaque()
          ? uri.getScheme() + ':' + uri.getRawSchemeSpecificPart()
          : String.valueOf(uri.getScheme());
    }
    String authority = uri.getRawAuthority();
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    return uri.getScheme() + "://" + authority.substring(authority.lastIndexOf('@') + 1) + path;
  }

  @Override
  public String toString() {
    return "BackendConfig[" + endpoint() + ", timeout " + commandTimeout + ']';
  }
}
