package io.mortise.internal.discovery;

import io.mortise.ProviderInfo;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.security.CodeSource;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A provider that was found, with the facts about it. The provider is null if it does not load. */
record Candidate(ProviderInfo info, @Nullable LockBackendProvider provider) {
  static Candidate of(LockBackendProvider provider) {
    Class<?> type = provider.getClass();
    try {
      int spi = provider.spiVersion();
      Optional<String> problem =
          spi == SpiVersion.CURRENT
              ? Optional.empty()
              : Optional.of(
                  "made for SPI version %d, this is %d: use matching versions of api and backend"
                      .formatted(spi, SpiVersion.CURRENT));
      return new Candidate(
          new ProviderInfo(
              provider.name(), version(type), provider.schemes(), location(type), problem),
          provider);
    } catch (RuntimeException | LinkageError e) {
      return broken(type.getName(), location(type), e);
    }
  }

  /**
   * A provider that could not be made.
   *
   * @param why the error, whose text names the provider's class
   * @param loader the loader that was asked; null for the bootstrap loader
   */
  static Candidate broken(ServiceConfigurationError why, @Nullable ClassLoader loader) {
    for (String word : String.valueOf(why.getMessage()).split("[\\s:]+", -1)) {
      Class<?> type = word.contains(".") ? find(word, loader) : null;
      if (type != null && !type.equals(LockBackendProvider.class)) {
        return broken(type, loader, why);
      }
    }
    return broken(null, loader, why);
  }

  /**
   * A provider that could not be made.
   *
   * @param type null if it is not known
   * @param loader the loader that was asked; null for the bootstrap loader
   */
  static Candidate broken(@Nullable Class<?> type, @Nullable ClassLoader loader, Throwable why) {
    return type == null
        ? broken("?", String.valueOf(loader), why)
        : broken(type.getName(), location(type), why);
  }

  static @Nullable Class<?> find(String name, @Nullable ClassLoader loader) {
    try {
      return Class.forName(name, false, loader);
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  static Candidate broken(String name, String location, Throwable why) {
    Optional<String> problem = Optional.of("does not load: " + text(why));
    return new Candidate(new ProviderInfo(name, "unknown", Set.of(), location, problem), null);
  }

  /** The root cause. If that is a missing class, its name and the next step. */
  private static String text(Throwable why) {
    Throwable root = why;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (root instanceof NoClassDefFoundError || root instanceof ClassNotFoundException) {
      return "the class %s is missing; add the jar that has it, such as that of the client, or remove this provider"
          .formatted(String.valueOf(root.getMessage()).replace('/', '.'));
    }
    return String.valueOf(why.getCause() == null ? why : why + "; caused by " + root);
  }

  boolean isUsable() {
    return info.problem().isEmpty();
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
