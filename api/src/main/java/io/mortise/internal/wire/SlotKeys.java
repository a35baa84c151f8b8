package io.mortise.internal.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Keys in chosen hash slots of a cluster. */
public final class SlotKeys {
  private static final int SLOTS = 16_384;

  private SlotKeys() {}

  /** A key with that prefix whose slot is in the range. */
  public static String keyIn(String prefix, long first, long last) {
    for (int number = 0; ; number++) {
      String key = prefix + "node~" + number;
      int slot = slot(key);
      if (first <= slot && slot <= last) {
        return key;
      }
    }
  }

  /**
   * Names with that beginning, one for each of so many ranges of slots of equal length. The slot of
   * a name without braces is that of its keys.
   */
  public static List<String> spread(String beginning, int ranges) {
    String[] names = new String[ranges];
    for (int number = 0, found = 0; found < ranges; number++) {
      String name = beginning + number;
      int range = slot(name) * ranges / SLOTS;
      if (names[range] == null) {
        names[range] = name;
        found++;
      }
    }
    return List.of(names);
  }

  /** The slot of a key without a tag: its CRC-16/XMODEM, as a cluster computes it. */
  static int slot(String key) {
    int crc = 0;
    for (byte each : key.getBytes(StandardCharsets.UTF_8)) {
      crc ^= (each & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      }
      crc &= 0xffff;
    }
    return crc % SLOTS;
  }
}
