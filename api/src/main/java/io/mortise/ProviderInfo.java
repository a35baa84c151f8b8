package io.mortise;

import java.util.Set;

/**
 * One provider of backends that was seen, chosen or not.
 *
 * @param name the provider's name, or its class if it could not be asked
 * @param version the version of its module or jar, {@code "unknown"} if it carries none
 * @param spiVersion the SPI it was compiled against, 0 if it could not be asked
 * @param schemes the URI schemes it serves
 * @param location the jar or module it came from
 * @param verdict {@code "usable"}, or why it is not
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
