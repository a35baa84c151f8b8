package io.mortise;

import java.util.Set;

/**
 * A provider of backends that was found, usable or not.
 *
 * @param name the provider's name, or its class name if the provider failed
 * @param version the version of its module or jar, {@code "unknown"} if it has none
 * @param spiVersion the SPI version it was compiled against, 0 if the provider failed
 * @param schemes the URI schemes it serves
 * @param location the jar or module it came from
 * @param verdict {@code "usable"}, or the reason why it is not
 */
public record ProviderInfo(
    String name,
    String version,
    int spiVersion,
    Set<String> schemes,
    String location,
    String verdict) {
  /** Copies the schemes. */
  public ProviderInfo {
    schemes = Set.copyOf(schemes);
  }
}
