package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final String ERASE_REST = "\033[K";

  private final StringWriter shown = new StringWriter();

  private Progress progress(boolean terminal, int columns) {
    PrintWriter err = new PrintWriter(shown);
    return new Progress(
        new Streams(new PrintWriter(new StringWriter()), err, terminal, columns, false, terminal));
  }

  @Test
  void aLineThatFitsIsShownInFull() {
    progress(true, 11).show("0123456789", "brief");

    assertEquals("\r0123456789" + ERASE_REST, shown.toString());
  }

  @Test
  void aTerminalTooNarrowGetsTheBriefLineAndNeverOneThatWraps() {
    Progress narrow = progress(true, 10);
    narrow.show("0123456789", "brief");
    narrow.show("0123456789", "not so brief");

    assertEquals("\rbrief" + ERASE_REST + "\rnot so br" + ERASE_REST, shown.toString());
  }

  @Test
  void anInterruptEndsTheLineOnceAndNothingIsShownAfterIt() {
    Progress progress = progress(true, 80);
    progress.show("line", "l");
    progress.interrupt();
    progress.show("later", "l");
    progress.end();

    assertEquals("\rline" + ERASE_REST + System.lineSeparator(), shown.toString());
  }

  @Test
  void anInterruptBeforeTheFirstLineShowsNothing() {
    progress(true, 80).interrupt();

    assertEquals("", shown.toString());
  }

  @Test
  void elsewhereLinesAreInFullAndOneASecond() {
    Progress plain = progress(false, 4);
    plain.show("line", "l");
    plain.show("again", "a");
    plain.interrupt();

    assertEquals("line" + System.lineSeparator(), shown.toString());
  }
}
