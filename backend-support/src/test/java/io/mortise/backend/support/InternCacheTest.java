package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Values that are made once for each text. */
class InternCacheTest {
  private final InternCache<Object[]> recent = new InternCache<>(text -> new Object[] {text});

  @Test
  @DisplayName("one text always gets the same value, and another text its own")
  void eachItsOwn() {
    Object[] first = recent.of("first");
    assertSame(first, recent.of(new String(new char[] {'f', 'i', 'r', 's', 't'})));
    for (int i = 0; i < 10_000; i++) {
      assertEquals("text" + i, recent.of("text" + i)[0]);
    }
    assertEquals("first", recent.of("first")[0]);
  }

  @Test
  @DisplayName("texts with the same hash have different values")
  void oneHash() {
    assertEquals("Aa".hashCode(), "BB".hashCode());
    for (int i = 0; i < 2; i++) {
      assertEquals("Aa", recent.of("Aa")[0]);
      assertEquals("BB", recent.of("BB")[0]);
    }
  }

  @Test
  @DisplayName("a long text is not kept")
  void aLongText() {
    String text = "x".repeat(1_000);
    assertNotSame(recent.of(text), recent.of(text));
  }
}
