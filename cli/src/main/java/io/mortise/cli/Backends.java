package io.mortise.cli;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/** Opens installed backends by name, because the demo wraps a backend before a service gets it. */
final class Backends {
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

  private Backends() {}

  /** The names of the backends that serve the URI's scheme, in alphabetical order. */
  static List<String> serving(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    return installed().stream()
        .filter(provider -> provider.schemes().contains(scheme))
        .map(LockBackendProvider::name)
        .sorted()
        .toList();
  }

  static String knownSchemes() {
    return installed().stream()
        .flatMap(provider -> provider.schemes().stream())
        .distinct()
        .sorted()
        .map(scheme -> scheme + ':')
        .collect(Collectors.joining(", "));
  }

  static LockBackend open(URI uri, String name) {
    BackendConfig config = new BackendConfig(uri, COMMAND_TIMEOUT, "mortise-demo", Map.of());
    try {
      return provider(name).open(config);
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    } catch (BackendException e) {
      throw new Failure(Failure.NO_STORE, String.valueOf(e.getMessage()), e);
    }
  }

  private static LockBackendProvider provider(String name) {
    return installed().stream()
        .filter(provider -> provider.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new Failure(Failure.NO_STORE, "backend '" + name + "' is not installed", null));
  }

  private static List<LockBackendProvider> installed() {
    return ServiceLoader.load(LockBackendProvider.class, Backends.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .toList();
  }
}
