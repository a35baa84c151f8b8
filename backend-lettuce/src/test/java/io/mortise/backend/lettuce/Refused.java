package io.mortise.backend.lettuce;

import io.mortise.spi.BackendException;
import java.net.URI;

/** A process that opens a backend, and prints why that failed. */
final class Refused {
  private Refused() {}

  /** Opens the given URI. */
  public static void main(String[] arguments) {
    try {
      Fixture.open(URI.create(arguments[0])).close();
    } catch (BackendException e) {
      System.out.println(e.getMessage());
    }
  }
}
