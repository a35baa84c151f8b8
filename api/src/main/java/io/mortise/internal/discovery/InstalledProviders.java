package io.mortise.internal.discovery;

import io.mortise.BackendUnavailableException;
import io.mortise.LockService;
import io.mortise.ProviderInfo;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.CredentialSuppliers;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The providers that {@link ServiceLoader} finds by Mortise's own class loader, and then by the
 * context class loader.
 */
public final class InstalledProviders {
  /**
   * A broken provider file throws once per entry. After this many errors the search ends, in case a
   * loader never stops throwing.
   */
  private static final int MOST_ERRORS = 100;

  private InstalledProviders() {}

  /**
   * Lists every provider that was found, usable or not.
   *
   * @return the providers in the order in which they were found
   */
  public static List<ProviderInfo> infos() {
    return seen().stream().map(Candidate::info).toList();
  }

  /**
   * Opens a backend by the only provider that fits.
   *
   * @param uri the store's address; its scheme selects
   * @param name the name of the requested provider, or null
   * @param commandTimeout the time that one command may take
   * @param properties further settings, for the provider
   * @param credentials users and passwords that change
   * @return an open backend
   * @throws IllegalArgumentException the text is {@code host:port}, and no provider serves the host
   *     as a scheme
   */
  public static LockBackend open(
      URI uri,
      @Nullable String name,
      Duration commandTimeout,
      Map<String, String> properties,
      CredentialSuppliers credentials) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    List<Candidate> seen = seen();
    if (StoreUri.isPlace(uri.toString()) && !Selection.isServed(seen, scheme)) {
      throw StoreUri.noScheme(uri.toString());
    }
    LockBackendProvider provider = Selection.select(seen, scheme, name);
    BackendConfig config =
        new BackendConfig(uri, commandTimeout, "mortise", properties, credentials);
    try {
      return provider.open(config);
    } catch (BackendException e) {
      throw new BackendUnavailableException(
          "%s could not be opened by provider '%s': %s"
              .formatted(config.endpoint(), provider.name(), e.getMessage()),
          e);
    }
  }

  private static List<Candidate> seen() {
    List<Candidate> found = new ArrayList<>();
    Set<Class<?>> known = new HashSet<>();
    collect(LockService.class.getClassLoader(), found, known);
    collect(Thread.currentThread().getContextClassLoader(), found, known);
    return found;
  }

  private static void collect(
      @Nullable ClassLoader loader, List<Candidate> found, Set<Class<?>> known) {
    Iterator<LockBackendProvider> providers =
        ServiceLoader.load(LockBackendProvider.class, loader).iterator();
    for (int errors = 0; errors < MOST_ERRORS; ) {
      try {
        if (!providers.hasNext()) {
          return;
        }
        LockBackendProvider provider = providers.next();
        if (known.add(provider.getClass())) {
          found.add(Candidate.of(provider));
        }
      } catch (ServiceConfigurationError e) {
        errors++;
        found.add(Candidate.broken(e, loader));
      } catch (LinkageError e) {
        errors++;
        List<String> names = found.stream().map(each -> each.info().name()).toList();
        found.add(Candidate.broken(Registrations.firstBroken(loader, names), loader, e));
      }
    }
  }
}
