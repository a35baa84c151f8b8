package io.mortise.spi;

import java.util.Set;

/**
 * Opens backends of one kind. Found by {@link java.util.ServiceLoader}, so an implementation is
 * public, has a public constructor without arguments, and keeps no state.
 */
public interface LockBackendProvider {
  /**
   * The name applications select this provider by.
   *
   * @return lower-case, unique among providers: {@code "jedis"}, {@code "lettuce"}, {@code
   *     "memory"}
   */
  String name();

  /**
   * The SPI this provider was compiled against. The body is {@code return SpiVersion.CURRENT}: the
   * compiler copies the constant into the provider, so a later SPI can tell.
   *
   * @return {@link SpiVersion#CURRENT} as it was when the provider was compiled
   */
  int spiVersion();

  /**
   * The URI schemes this provider serves.
   *
   * @return lower-case schemes without the colon
   */
  Set<String> schemes();

  /**
   * Connects and checks at once that the store answers and is one this backend can serve.
   *
   * @param config where to connect and how
   * @return an open backend, which the caller closes
   * @throws BackendException the store cannot be reached or is refused; nothing is left open
   * @throws IllegalArgumentException the URI is not one this provider understands
   */
  LockBackend open(BackendConfig config);
}
