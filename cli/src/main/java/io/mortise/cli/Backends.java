package io.mortise.cli;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.net.URISyntaxException;
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

  /** Parses the URI. The parser's own exception shows the whole URI; the failure here does not. */
  static URI parse(String text) {
    try {
      URI parsed = new URI(text);
      if (parsed.getScheme() != null) {
        return parsed;
      }
    } catch (URISyntaxException e) {
      throw Failure.badArgument(
          "the URI is malformed at character %d: %s; percent-encode special characters in user and password"
              .formatted(e.getIndex(), e.getReason()));
    }
    throw Failure.badArgument("the URI has no scheme; write redis://HOST:PORT or memory:NAME");
  }

  static Failure notServed(URI uri) {
    return Failure.badArgument(
        "no backend serves '%s:'; they serve %s".formatted(uri.getScheme(), knownSchemes()));
  }

  /** The names of the backends that serve the URI's scheme, in alphabetical order. */
  static List<String> serving(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    return installed().stream()
        .filter(provider -> provider.schemes().contains(scheme))
        .map(LockBackendProvider::name)
        .sorted()
        .toList();
  }

  private static String knownSchemes() {
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
