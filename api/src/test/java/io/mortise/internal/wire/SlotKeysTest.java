package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlotKeysTest {
  /** As {@code CLUSTER KEYSLOT} answers. */
  @ParameterizedTest
  @CsvSource({"123456789, 12739", "foo, 12182", "'', 0"})
  void aKeyHasTheSlotThatAClusterGivesIt(String key, int slot) {
    assertEquals(slot, SlotKeys.slot(key));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8_191, 16_383})
  void everySlotHasAKeyWithThePrefix(int slot) {
    String key = SlotKeys.keyIn("mortise:", slot, slot);
    assertEquals(slot, SlotKeys.slot(key));
    assertTrue(key.startsWith("mortise:"), key);
  }
}
