package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void textIsToTheLeftAndNumbersToTheRight() {
    Table table = new Table(1, "who", "n").row("somebody", "1").row("x", "1,000");
    assertEquals(
        List.of(
            "who           n", //
            "--------  -----",
            "somebody      1",
            "x         1,000"),
        table.lines());
  }

  @Test
  void columnsAreThoseOfATerminal() {
    Table table = new Table(1, "who", "n").row("\u6570\u636e", "1").row("x", "2");

    assertEquals(List.of("who   n", "----  -", "\u6570\u636e  1", "x     2"), table.lines());
    assertEquals(List.of("who..", "---..", "\u6570..", "x  .."), table.lines(5));
  }

  @Test
  void noLineEndsInABlank() {
    List<String> lines = new Table(2, "a", "b").row("x", "").row("long", "y").lines();
    assertEquals(List.of("a     b", "----  -", "x", "long  y"), lines);
  }

  @Test
  void aRowOfAnotherLengthIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Table(1, "a", "b").row("x"));
  }
}
