package io.mortise.model;

import java.util.Arrays;

/**
 * Writes a state as bytes, or reads it from them. One method of a state does both: it gives each of
 * its numbers to {@link #of} and keeps what comes back.
 */
final class Coder {
  private byte[] bytes;
  private final boolean reads;
  private int at;

  private Coder(byte[] bytes, boolean reads) {
    this.bytes = bytes;
    this.reads = reads;
  }

  static Coder writer() {
    return new Coder(new byte[64], false);
  }

  static Coder reader(byte[] bytes) {
    return new Coder(bytes, true);
  }

  /** Writes a number and returns it, or returns the number that was written here. */
  int of(int value) {
    if (reads) {
      return bytes[at++];
    }
    if (value != (byte) value) {
      throw new IllegalStateException(value + " does not fit into a byte; use smaller times");
    }
    if (at == bytes.length) {
      bytes = Arrays.copyOf(bytes, at * 2);
    }
    bytes[at++] = (byte) value;
    return value;
  }

  boolean of(boolean value) {
    return of(value ? 1 : 0) == 1;
  }

  /** As {@link #of(int)}, for one of the constants of an enum. */
  @SuppressWarnings("EnumOrdinal") // the bytes live no longer than the exploration
  <E extends Enum<E>> E of(E value, E[] all) {
    return all[of(value.ordinal())];
  }

  byte[] written() {
    return Arrays.copyOf(bytes, at);
  }
}
