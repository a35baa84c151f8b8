package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "999, 999 ms",
    "59999, 59 s",
    "200000, 3 m 20 s",
    "7500000, 2 h 5 m",
    "273600000, 3 d 4 h"
  })
  void aTimeHasTwoUnitsAtMost(long millis, String text) {
    assertEquals(text, Text.time(Duration.ofMillis(millis)));
  }

  @Test
  void aTextIsCutBetweenCharacters() {
    assertEquals("name", Text.cut("name", 4));
    assertEquals("n..", Text.cut("names", 3));
    assertEquals("..", Text.cut("names", 2));
    assertEquals(".", Text.cut("names", 1));
    assertEquals("", Text.cut("names", 0));
    String faces = "\ud83d\ude00\ud83d\ude00\ud83d\ude00";
    assertEquals(faces, Text.cut(faces, 6));
    assertEquals("\ud83d\ude00..", Text.cut(faces, 5));
    assertEquals("\ud83d\ude00..", Text.cut(faces, 4));
    assertEquals("..", Text.cut(faces, 3));
  }

  @ParameterizedTest
  @CsvSource({
    "abc, 3",
    "\u6570\u636e, 4",
    "\ud83c\udf89!, 3",
    "e\u0301, 1",
    "\u00e9, 1",
    "\uac00, 2"
  })
  void aLetterOfEastAsiaAndAPictureTakeTwoColumns(String text, int columns) {
    assertEquals(columns, Text.columns(text));
  }

  @Test
  void jsonIsAsciiAndReadBackTheSame() {
    String text = "\"\\\u0000\u001b\u007f\u2028\ud83d\ude00é";
    String json =
        Json.of(
            Json.object(
                "text", text, "none", null, "list", List.of(1, true, Duration.ofSeconds(2))));
    assertEquals(true, json.chars().allMatch(each -> each >= ' ' && each <= '~'), json);
    var read = JsonParser.parseString(json).getAsJsonObject();
    assertEquals(text, read.get("text").getAsString());
    assertEquals(true, read.get("none").isJsonNull());
    assertEquals("[1,true,2000]", read.get("list").toString());
  }

  @Test
  void controlCharactersBecomeVisible() {
    assertEquals("a\\u001bb\\u202e", Text.visible("a\u001bb\u202e"));
    assertEquals(List.of("é", "{}"), Arrays.asList(Text.visible("é"), Text.visible("{}")));
  }
}
