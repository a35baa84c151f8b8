package io.mortise.spi;

import org.jspecify.annotations.Nullable;

/**
 * A user and a password of a store. Two are equal if both parts are.
 *
 * @param user null for the store's default user
 * @param password the password, or the token that takes its place
 */
public record Credentials(@Nullable String user, String password) {
  /**
   * The password of the default user.
   *
   * @param password the password
   * @return credentials without a user
   */
  public static Credentials of(String password) {
    return new Credentials(null, password);
  }

  /** Shows neither user nor password. */
  @Override
  public String toString() {
    return "Credentials[not shown]";
  }
}
