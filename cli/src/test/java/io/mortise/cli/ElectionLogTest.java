package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each violation of an election, planted into logs that are right without it. */
class ElectionLogTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final String RIGHT =
      """
      elected a 0 7
      asked a 1 1 true 7
      asked a 5 5 true 7
      stopped a 5
      elected b 9 8
      asked b 9 9 true 8
      continued a 11
      asked a 11 11 false 0
      revoked a 11 7
      asked b 12 12 true 8
      killed b 12
      elected a 16 9
      asked a 16 16 true 9
      """;

  /** The lines with their seconds as times. */
  private static ElectionLog log(String lines) {
    List<String> all = new ArrayList<>();
    for (String line : lines.lines().toList()) {
      String[] words = line.split(" ", -1);
      words[2] = Long.toString(Long.parseLong(words[2]) * SECOND);
      if (words[0].equals("asked")) {
        words[3] = Long.toString(Long.parseLong(words[3]) * SECOND);
      }
      all.add(String.join(" ", words));
    }
    return new ElectionLog(all, Duration.ofSeconds(3), Duration.ofSeconds(2));
  }

  private static void assertFound(String what, String instead, String by) {
    assertTrue(RIGHT.contains(instead), instead);
    List<String> found = log(RIGHT.replace(instead, by)).violations();
    assertTrue(found.stream().anyMatch(each -> each.contains(what)), found::toString);
  }

  @Test
  void logsThatAreRightHaveNoViolation() {
    ElectionLog log = log(RIGHT);
    assertEquals(List.of(), log.violations());
    assertEquals(List.of(Duration.ofSeconds(4), Duration.ofSeconds(4)), log.gaps());
    assertEquals(3, log.terms());
  }

  @Test
  void eachViolationIsFound() {
    assertFound("two leaders", "asked a 5 5 true 7", "asked a 10 10 true 7");
    assertFound("two leaders", "asked a 11 11 false 0", "asked a 11 11 true 7");
    assertFound("still led", "asked a 11 11 false 0", "asked a 12 12 true 7");
    assertFound("does not rise", "asked a 16 16 true 9", "asked a 16 16 true 8");
    assertFound("does not rise", "asked b 9 9 true 8", "asked b 9 9 true 7");
    assertFound("no next leader", "asked a 16 16 true 9", "asked a 18 18 true 9");
    assertFound("no next leader", "asked a 16 16 true 9", "asked a 16 16 false 0");
    assertFound("nobody led", "killed b 12", "killed c 12");
    assertFound("revoked 7 after", "elected a 0 7\n", "");
    assertFound("elected 9 after", "revoked a 11 7\n", "");
    assertFound("revoked 6 after", "revoked a 11 7", "revoked a 11 6");
  }

  /** What a stopped process believes until its lease is over is no violation. */
  @Test
  void anAnswerAtTheEdgeIsNone() {
    String edge = RIGHT.replace("asked a 5 5 true 7", "asked a 9 11 true 7");
    assertEquals(List.of(), log(edge).violations());
  }
}
