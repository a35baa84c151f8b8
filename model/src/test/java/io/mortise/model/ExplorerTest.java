package io.mortise.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** The explorer, on models whose answers are known. */
class ExplorerTest {
  /** A model whose states and steps are words. */
  private abstract static class Toy implements Explorer.Model<String, String> {
    private final String start;

    Toy(String start) {
      this.start = start;
    }

    @Override
    public String start() {
      return start;
    }

    @Override
    public byte[] encode(String state) {
      return state.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String decode(byte[] form) {
      return new String(form, StandardCharsets.UTF_8);
    }

    @Override
    public Optional<String> broken(String before, String step, String after) {
      return Optional.empty();
    }

    @Override
    public String tell(String before, String step, String after) {
      return step + " makes " + after;
    }
  }

  /** A jug of three litres and one of five. Nobody may get four litres. */
  private static final class Jugs extends Toy {
    Jugs() {
      super("00");
    }

    @Override
    public void steps(String from, BiConsumer<String, String> to) {
      int small = from.charAt(0) - '0';
      int large = from.charAt(1) - '0';
      to.accept("fill small", "3" + large);
      to.accept("fill large", small + "5");
      to.accept("empty small", "0" + large);
      to.accept("empty large", small + "0");
      int right = Math.min(small, 5 - large);
      to.accept("pour right", (small - right) + "" + (large + right));
      int left = Math.min(large, 3 - small);
      to.accept("pour left", (small + left) + "" + (large - left));
    }

    @Override
    public Optional<String> broken(String before, String step, String after) {
      return after.endsWith("4") ? Optional.of("four litres") : Optional.empty();
    }
  }

  /** Philosophers that take the left fork first, and give both back. A letter tells their forks. */
  private static final class Philosophers extends Toy {
    private final int forks;

    Philosophers(int forks) {
      super("-".repeat(forks));
      this.forks = forks;
    }

    @Override
    public void steps(String from, BiConsumer<String, String> to) {
      for (int i = 0; i < forks; i++) {
        int right = (i + 1) % forks;
        char me = from.charAt(i);
        boolean leftIsFree = from.charAt((i + forks - 1) % forks) != 'B';
        if (me == '-' && leftIsFree) {
          to.accept(i + " takes left", with(from, i, 'L'));
        } else if (me == 'L' && from.charAt(right) == '-') {
          to.accept(i + " takes right", with(from, i, 'B'));
        } else if (me == 'B') {
          to.accept(i + " eats", with(from, i, '-'));
        }
      }
    }

    private static String with(String state, int at, char value) {
      return state.substring(0, at) + value + state.substring(at + 1);
    }
  }

  /** Counts up for ever. */
  private static final class Counter extends Toy {
    Counter() {
      super("0");
    }

    @Override
    public void steps(String from, BiConsumer<String, String> to) {
      to.accept("count", String.valueOf(Integer.parseInt(from) + 1));
    }
  }

  @Test
  void theFirstBrokenRuleComesWithAShortestStory() {
    Explorer.Result result = Explorer.explore(new Jugs(), 1_000);
    Explorer.Story story = result.story().orElseThrow();
    assertEquals(
        List.of(
            "fill large makes 05",
            "pour left makes 32",
            "empty small makes 02",
            "pour left makes 20",
            "fill large makes 25",
            "pour left makes 34"),
        story.steps());
    assertEquals("four litres", story.broken());
    assertFalse(result.complete());
  }

  @Test
  void aStateInWhichNothingCanHappenIsADeadlock() {
    Explorer.Result result = Explorer.explore(new Philosophers(4), 1_000);
    Explorer.Story story = result.story().orElseThrow();
    assertEquals("deadlock", story.broken());
    assertEquals(5, story.steps().size(), story::toString); // each takes the left fork, and the end
    assertTrue(
        story.steps().stream().limit(4).allMatch(line -> line.contains("takes left")),
        story::toString);
  }

  @Test
  void everyStateIsVisitedOnce() {
    // 0 to 9,999 in four digits, each of which may be raised up to 9
    Explorer.Result result =
        Explorer.explore(
            new Toy("0000") {
              @Override
              public void steps(String from, BiConsumer<String, String> to) {
                to.accept("stay", from);
                for (int i = 0; i < 4; i++) {
                  if (from.charAt(i) < '9') {
                    to.accept("raise", raised(from, i));
                  }
                }
              }

              private static String raised(String state, int at) {
                StringBuilder text = new StringBuilder(state);
                text.setCharAt(at, (char) (state.charAt(at) + 1));
                return text.toString();
              }
            },
            20_000);
    assertTrue(result.complete());
    assertEquals(10_000, result.states());
    assertEquals(36, result.depth());
  }

  @Test
  void anEndlessModelStopsAtTheLimit() {
    Explorer.Result result = Explorer.explore(new Counter(), 500);
    assertFalse(result.complete());
    assertTrue(result.story().isEmpty());
    assertEquals(500, result.states());
  }
}
