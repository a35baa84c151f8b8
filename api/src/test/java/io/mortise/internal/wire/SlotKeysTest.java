package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
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

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 41})
  void namesAreSpreadSoThatNoMasterIsLeftOut(int ranges) {
    List<String> names = SlotKeys.spread("check~me~", ranges);

    int[] slots = names.stream().mapToInt(SlotKeys::slot).sorted().toArray();
    assertEquals(ranges, slots.length);
    int longestGap = 16_384 / ranges * 2 + 2;
    for (int i = 0; i <= ranges; i++) {
      int before = i == 0 ? -1 : slots[i - 1];
      int after = i == ranges ? 16_384 : slots[i];
      assertTrue(after - before - 1 < longestGap, before + " and " + after);
    }
    assertTrue(names.stream().allMatch(name -> name.startsWith("check~me~")), names.toString());
  }
}
