package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo on the store in memory. */
class DemoTest {
  /** Kinds whose threads each wait in the store, so there are no hand-offs. */
  static final Set<DemoLock> NEVER_PASSED_ON =
      EnumSet.of(DemoLock.FAIR, DemoLock.WRITE, DemoLock.RED);

  @Test
  void incrementsAreLostWithoutALockAndNoneWithMortise() {
    Invocation demo = Invocation.of("demo", "--seconds", "1");

    assertEquals(0, demo.exitCode(), demo.all());
    List<String> lines = demo.out().lines().toList();
    assertEquals(
        "1 process, 4 workers, a plain lock, on memory:demo by memory, 1 s for each run",
        lines.get(0));
    String without = lines.get(4);
    String with = lines.get(5);
    assertTrue(without.matches("without a lock( +[0-9,]+){4}"), without);
    assertFalse(without.matches("without a lock +[0-9,]+ +[0-9,]+ +0 .*"), without);
    assertTrue(with.matches("with Mortise +([1-9][0-9,]*) +\\1 +0 +[0-9,]+"), with);
    assertTrue(
        lines
            .get(7)
            .matches("with Mortise: [0-9.]+ commands per operation, [0-9.]+ % local hand-offs"));
    assertTrue(lines.get(9).endsWith("of the increments were lost; with Mortise none."));
  }

  @ParameterizedTest
  @EnumSource(DemoLock.class)
  void everyKindProtectsTheSameCounter(DemoLock kind) {
    Invocation demo = Invocation.of("demo", "--seconds", "1", "--kind", kind.text());

    assertEquals(0, demo.exitCode(), demo.all());
    List<String> lines = demo.out().lines().toList();
    String noun = kind == DemoLock.RED ? "Redlock" : kind.text() + " lock";
    assertTrue(lines.get(0).contains(", a " + noun + ", on memory"), lines.get(0));
    assertFalse(lines.get(4).matches("without a lock +[0-9,]+ +[0-9,]+ +0 .*"), lines.get(4));
    Matcher with = Pattern.compile("with Mortise +([1-9][0-9,]*) +\\1 +0 .*").matcher(lines.get(5));
    assertTrue(with.matches(), lines.get(5));
    boolean passedOn = !lines.get(7).contains(" 0.0 %");
    boolean never = NEVER_PASSED_ON.contains(kind);
    // Each increment yields. On a busy machine one takes longer than holds are handed off.
    if (never || with.group(1).length() > "1,000".length()) {
      assertEquals(!never, passedOn, () -> "whether there are local hand-offs: " + lines);
    }
  }

  @Test
  void oneWorkerLosesNothingAndTheVerdictSaysSo() {
    Invocation demo = Invocation.of("demo", "--workers", "1", "--seconds", "1");
    assertEquals(0, demo.exitCode(), demo.all());
    assertTrue(demo.out().contains("1 process, 1 worker, a plain lock, on"), demo.out());
    assertTrue(demo.out().contains("nor without a lock, this time"), demo.out());
  }

  /**
   * One worker takes what its process keeps, so it needs few commands, whatever it does with it.
   */
  @Test
  void aProcessThatRetainsTheLockNeedsFewCommands() {
    Invocation demo = Invocation.of("demo", "--workers", "1", "--seconds", "1", "--retain", "500");

    assertEquals(0, demo.exitCode(), demo.all());
    List<String> lines = demo.out().lines().toList();
    assertTrue(lines.get(0).contains("a plain lock retained up to 500 ms, on"), lines.get(0));
    double count = number("with Mortise +([0-9,]+) .*", lines.get(5));
    double commands = count * number("with Mortise: ([0-9.]+) commands.*", lines.get(7));
    assertTrue(commands < 20, () -> commands + " commands: " + lines);
  }

  private static double number(String pattern, String line) {
    Matcher matcher = Pattern.compile(pattern).matcher(line);
    assertTrue(matcher.matches(), line);
    return Double.parseDouble(matcher.group(1).replace(",", ""));
  }

  @Test
  void progressIsPlainLinesElsewhereThanOnATerminal() {
    Invocation demo = Invocation.of("demo", "--seconds", "1");
    assertFalse(demo.err().contains("\r"), demo.err());
    assertTrue(
        demo.err().lines().allMatch(line -> line.matches(".* of 1 s +[0-9,]+ increments .*/s")),
        demo.err());
    assertTrue(demo.err().lines().anyMatch(line -> line.startsWith("without a lock")));
    assertTrue(demo.err().lines().anyMatch(line -> line.startsWith("with Mortise")));
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 80})
  void progressIsOneLineForEachRunOnATerminal(int columns) {
    Invocation demo = Invocation.onTerminal(columns, "demo", "--seconds", "1");
    List<String> lines =
        demo.err()
            .lines()
            .map(line -> line.replace("\033[K", ""))
            .filter(l -> !l.isEmpty())
            .toList();
    assertEquals(2, demo.err().chars().filter(c -> c == '\n').count(), demo.err());
    assertTrue(lines.size() > 4, "drawn several times: " + demo.err());
    assertTrue(lines.stream().allMatch(line -> line.length() < columns), demo.err());
  }

  @Test
  void noLineOfTheResultIsWiderThanATerminal() {
    Invocation demo = Invocation.of("demo", "--seconds", "1");
    List<String> wide = demo.out().lines().skip(1).filter(line -> line.length() > 80).toList();
    assertEquals(List.of(), wide);
  }
}
