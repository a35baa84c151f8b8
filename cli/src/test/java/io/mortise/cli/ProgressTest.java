package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.support.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
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

  @Test
  void slowWorkShowsForHowLongItHasRun() {
    String result =
        progress(true, 80)
            .during(
                "looking",
                () -> {
                  Await.until(
                      "a line", Duration.ofSeconds(30), () -> shown.toString().contains(" s"));
                  return "found";
                });

    assertEquals("found", result);
    assertTrue(shown.toString().startsWith("\rlooking: "), shown::toString);
    assertTrue(shown.toString().endsWith(System.lineSeparator()), shown::toString);
  }

  @Test
  void quickWorkAndOtherOutputsShowNothing() {
    assertEquals(1, progress(true, 80).during("looking", () -> 1));
    assertEquals(2, progress(false, 80).during("looking", () -> 2));

    assertEquals("", shown.toString());
  }
}
