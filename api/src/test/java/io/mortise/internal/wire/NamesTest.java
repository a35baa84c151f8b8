package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Names in messages. */
class NamesTest {
  private static final String ROCKET = "\ud83d\ude80";

  @Test
  void aLongNameIsNotCutInTheMiddleOfACharacter() {
    for (String start : new String[] {"", "a"}) {
      String name = start + ROCKET.repeat(200);
      String message =
          assertThrows(IllegalArgumentException.class, () -> Names.check("lock name", name))
              .getMessage();
      assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(message), message);
    }
  }

  @Test
  void aStartHasAtMostSoManyCharacters() {
    assertEquals("", Names.shownStart("", 2));
    assertEquals("a" + ROCKET, Names.shownStart("a" + ROCKET + ROCKET, 2));
    assertEquals("a", Names.shownStart("a", 2));
    assertEquals("\\u000a", Names.shownStart("\na", 1));
  }
}
