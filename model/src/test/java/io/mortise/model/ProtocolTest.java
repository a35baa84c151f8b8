package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The protocol breaks no rule in any state that can be reached, and each planted mistake does. The
 * page docs/protocol.md has a row for each result, and target/mortise-model.txt has the stories.
 */
@Tag("all")
class ProtocolTest {
  private static final boolean LARGE = "large".equals(System.getProperty("mortise.model"));
  private static final int LIMIT = LARGE ? 100_000_000 : 5_000_000;
  private static final Path PAGE = Path.of("../docs/protocol.md");

  private static final Map<Setup, Explorer.Result> KNOWN = new ConcurrentHashMap<>();
  private static final Map<Scenario, String> SCENARIOS = new ConcurrentSkipListMap<>();
  private static final Map<Mistake, String> MISTAKES = new ConcurrentSkipListMap<>();

  @AfterAll
  static void writeReport() throws IOException {
    String report = String.join("", SCENARIOS.values()) + String.join("", MISTAKES.values());
    Files.writeString(Path.of("target/mortise-model.txt"), report);
  }

  @ParameterizedTest
  @EnumSource
  void noStateBreaksARule(Scenario scenario) throws IOException {
    assumeTrue(LARGE || !scenario.isLarge(), "explored with -Dmortise.model=large");
    Explorer.Result result = explore(scenario.setup());
    assertUnbroken(result);
    String row =
        String.format(Locale.ROOT, "| %s | %s | %,d |", scenario, scenario.text(), result.states());
    SCENARIOS.put(scenario, row + "\n");
    assertOnPage(row);
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedMistakeBreaksARule(Mistake mistake) throws IOException {
    assertUnbroken(explore(mistake.where()));
    Explorer.Story story =
        explore(mistake.where().planting(mistake))
            .story()
            .orElseThrow(() -> new AssertionError(mistake + " was not found"));
    assertTrue(story.broken().startsWith(mistake.finder() + " is broken"), story::toString);
    int steps = story.steps().size();
    String row =
        "| %s | %s | %s | %d |"
            .formatted(mistake.finding(), mistake.text(), mistake.finder(), steps);
    MISTAKES.put(mistake, row + "\n" + story + "\n");
    assertOnPage(row);
  }

  private static Explorer.Result explore(Setup setup) {
    return KNOWN.computeIfAbsent(setup, each -> Protocol.explore(each, LIMIT));
  }

  private static void assertUnbroken(Explorer.Result result) {
    assertEquals("", result.story().map(Explorer.Story::toString).orElse(""));
    assertTrue(result.complete(), () -> "not all states fit into the limit of " + LIMIT);
  }

  private static void assertOnPage(String row) throws IOException {
    assertTrue(Files.readString(PAGE).contains(row), () -> PAGE + " should have the row " + row);
  }
}
