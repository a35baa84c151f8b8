package io.mortise.spi;

/** The version of this SPI. */
public final class SpiVersion {
  /** Rises when a backend compiled before would no longer work. */
  public static final int CURRENT = 1;

  private SpiVersion() {}
}
