package io.mortise.internal.discovery;

import io.mortise.ProviderInfo;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/** A provider that was found, with the facts about it. The provider is null if it does not load. */
record Candidate(ProviderInfo info, @Nullable LockBackendProvider provider) {
  static final String USABLE = "usable";

  static Candidate of(LockBackendProvider provider) {
    Class<?> type = provider.getClass();
    try {
      int spi = provider.spiVersion();
      String verdict =
          spi == SpiVersion.CURRENT
              ? USABLE
              : "made for SPI version %d, this is %d: use matching versions of api and backend"
                  .formatted(spi, SpiVersion.CURRENT);
      return new Candidate(
          new ProviderInfo(
              provider.name(), version(type), spi, provider.schemes(), location(type), verdict),
          provider);
    } catch (RuntimeException | LinkageError e) {
      return broken(type.getName(), location(type), e);
    }
  }

  static Candidate broken(String name, String location, Throwable why) {
    return new Candidate(
        new ProviderInfo(name, "unknown", 0, java.util.Set.of(), location, "does not load: " + why),
        null);
  }

  boolean isUsable() {
    return info.verdict().equals(USABLE);
  }

  private static String version(Class<?> type) {
    if (type.getModule().isNamed()) {
      String version = type.getModule().getDescriptor().rawVersion().orElse(null);
      if (version != null) {
        return version;
      }
    }
    String version = type.getPackage().getImplementationVersion();
    return version == null ? "unknown" : version;
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source == null || source.getLocation() == null
        ? String.valueOf(type.getModule())
        : source.getLocation().getPath();
  }
}
