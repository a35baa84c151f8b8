package io.mortise.spi.support;

import io.mortise.spi.BackendInfo;

/** Which Redis servers locks are safe on. */
public final class RedisServers {
  private RedisServers() {}

  /**
   * Checks what a server tells of itself in its reply to {@code HELLO}.
   *
   * @param endpoint where it is, without a secret
   * @param version its version
   * @param mode {@code standalone}, {@code cluster} or {@code sentinel}
   * @param role {@code master} or {@code replica}
   * @return facts about a single master of 6.2 or later
   * @throws IllegalArgumentException it is something else; the message says what
   */
  public static BackendInfo usable(String endpoint, String version, String mode, String role) {
    boolean old = version.matches("([0-5]|6\\.[01])(\\..*)?");
    if (old || !mode.equals("standalone") || !role.equals("master")) {
      throw new IllegalArgumentException(
          "it is a %s %s of version %s; a standalone master of 6.2 or later is needed, clusters and sentinels are not supported yet"
              .formatted(mode, role, version));
    }
    return new BackendInfo(endpoint, version, true, true);
  }
}
