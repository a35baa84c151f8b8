package io.mortise.spi;

/** The version of this SPI. */
public final class SpiVersion {
  /** The current version. It rises when a backend that was compiled before would no longer work. */
  public static final int CURRENT = 1;

  private SpiVersion() {}
}
