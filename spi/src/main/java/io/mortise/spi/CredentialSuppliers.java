package io.mortise.spi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a backend gets users and passwords that change while it is open.
 *
 * @param servers for the servers with data; null if the URI says what there is
 * @param sentinels for sentinels; null if properties say what there is
 */
public record CredentialSuppliers(
    @Nullable Supplier<Credentials> servers, @Nullable Supplier<Credentials> sentinels) {
  /** Nothing changes. */
  public static final CredentialSuppliers NONE = new CredentialSuppliers(null, null);

  @Override
  public String toString() {
    return "CredentialSuppliers[servers: %s, sentinels: %s]"
        .formatted(servers != null, sentinels != null);
  }
}
