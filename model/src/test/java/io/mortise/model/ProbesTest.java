package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Of deadlocks, only what was true is told, once and soon, in any state that can be reached. The
 * page docs/protocol.md has a row for each result.
 */
@Tag("all")
class ProbesTest {
  private static final int LIMIT = 1_000_000;
  private static final Path PAGE = Path.of("../docs/protocol.md");

  private static void assertOnPage(String row) throws IOException {
    assertTrue(Files.readString(PAGE).contains(row), () -> PAGE + " should have the row " + row);
  }

  @ParameterizedTest
  @EnumSource
  void noStateBreaksARule(Probes.Case each) throws IOException {
    Explorer.Result result = Explorer.explore(new Probes(each), LIMIT);

    assertEquals("", result.story().map(Explorer.Story::toString).orElse(""));
    assertTrue(result.complete(), "not all states fit into the limit");
    assertOnPage(String.format(Locale.ROOT, "| %s | %s | %,d |", each, each.text, result.states()));
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedMistakeBreaksARule(Probes.Flaw flaw) throws IOException {
    Explorer.Story story =
        Explorer.explore(new Probes(flaw), LIMIT)
            .story()
            .orElseThrow(() -> new AssertionError(flaw + " was not found"));

    assertEquals(flaw.finder + " is broken", story.broken());
    assertOnPage("| %s | %s | %d |".formatted(flaw.text, flaw.finder, story.steps().size()));
  }
}
