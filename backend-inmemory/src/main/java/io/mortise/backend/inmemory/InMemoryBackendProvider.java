package io.mortise.backend.inmemory;

import com.google.auto.service.AutoService;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import java.util.Locale;
import java.util.Set;

/** Opens {@code memory:name}, the store that all services of this JVM share under that name. */
@AutoService(LockBackendProvider.class)
@SuppressWarnings(
    "exports") // The annotation is for the compiler only; users need not see its module.
public final class InMemoryBackendProvider implements LockBackendProvider {
  private static final String SCHEME = "memory";

  /** Called by {@link java.util.ServiceLoader}. */
  public InMemoryBackendProvider() {}

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public int spiVersion() {
    return SpiVersion.CURRENT;
  }

  @Override
  public Set<String> schemes() {
    return Set.of(SCHEME);
  }

  @Override
  public LockBackend open(BackendConfig config) {
    config.requireOnly(Set.of());
    config.requireNoCredentials();
    return StoreRegistry.open(storeName(config));
  }

  private static String storeName(BackendConfig config) {
    String scheme = String.valueOf(config.uri().getScheme()).toLowerCase(Locale.ROOT);
    String name = config.uri().getSchemeSpecificPart();
    boolean isName = !name.isBlank() && !name.startsWith("/") && !name.contains("?");
    if (!scheme.equals(SCHEME) || !isName || config.uri().toString().contains("@")) {
      throw new IllegalArgumentException(
          "the URI does not name a store in memory; write memory:name, with the same name for all"
              + " services that are to share it");
    }
    return name;
  }
}
