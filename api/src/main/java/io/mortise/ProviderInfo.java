package io.mortise;

import java.util.Optional;
import java.util.Set;

/**
 * A provider of backends that was found, usable or not.
 *
 * @param name the provider's name, or its class name if the provider failed
 * @param version the version of its module or jar, {@code "unknown"} if it has none
 * @param schemes the URI schemes it serves
 * @param location the jar or module it came from
 * @param problem why it cannot be used, such as another version of the SPI; empty if it can
 */
public record ProviderInfo(
    String name, String version, Set<String> schemes, String location, Optional<String> problem) {
  /** Copies the schemes. */
  public ProviderInfo {
    schemes = Set.copyOf(schemes);
  }
}
