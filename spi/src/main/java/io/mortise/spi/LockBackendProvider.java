package io.mortise.spi;

import java.util.Set;

/**
 * Opens backends of one kind. {@link java.util.ServiceLoader} finds it. So an implementation is
 * public, has a public constructor without arguments, and keeps no state.
 */
public interface LockBackendProvider {
  /**
   * The name by which applications select this provider.
   *
   * @return lower-case, unique among providers: {@code "jedis"}, {@code "lettuce"}, {@code
   *     "memory"}
   */
  String name();

  /**
   * The version of the SPI that this provider was compiled against. The body is {@code return
   * SpiVersion.CURRENT}. The compiler copies the constant into the provider, so a later SPI can
   * detect the difference.
   *
   * @return {@link SpiVersion#CURRENT} as it was when the provider was compiled
   */
  int spiVersion();

  /**
   * The URI schemes that this provider serves.
   *
   * @return lower-case schemes without the colon
   */
  Set<String> schemes();

  /**
   * Connects, and checks at once that the store answers and that this backend can serve it.
   *
   * @param config the address and the settings
   * @return an open backend, which the caller closes
   * @throws BackendException the store cannot be reached, or this backend cannot serve it; nothing
   *     is left open
   * @throws IllegalArgumentException this provider does not understand the URI
   */
  LockBackend open(BackendConfig config);
}
