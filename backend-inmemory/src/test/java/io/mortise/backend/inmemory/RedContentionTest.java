package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.inmemory.SimulatedNode.Fault;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contenders for a Redlock while a minority of its members is dead or silent. */
@Tag("ci")
class RedContentionTest implements BackendUnderTest {
  private static final List<int[]> MINORITIES = List.of(new int[] {0, 1}, new int[] {2, 4});
  private static final int RATIO = 3;

  /** With all alive it may take less than that by luck. It is two pauses between rounds. */
  private static final Duration SHORTEST = Duration.ofMillis(20);

  private static final Duration MEASURED = Duration.ofSeconds(1);

  /**
   * Then the contenders know which members are silent, and the timed attempts of before are over.
   * An attempt that is under way when a member falls silent may be slow.
   */
  private static final Duration SETTLED = Duration.ofSeconds(6);

  private final Random seeds = new Random();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 16})
  @Rule({"L16", "L5", "L10"})
  void aDeadMinorityDoesNotKeepTheLockFree(int contenders) {
    MINORITIES.forEach(minority -> contend(contenders, Fault.DOWN, minority, Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 16})
  @Rule({"L16", "L5", "L10"})
  void aSilentMinorityDoesNotKeepTheLockFree(int contenders) {
    MINORITIES.forEach(minority -> contend(contenders, Fault.SILENT, minority, SETTLED));
  }

  private void contend(int contenders, Fault fault, int[] minority, Duration settled) {
    long seed = seeds.nextLong();
    RedContest contest = new RedContest(seed, contenders);
    Duration longest = longest(contest);
    contest.fail(fault, minority);
    RedContest.Result unused = contest.run(settled);
    check(contest, longest, "seed " + seed + ", " + Arrays.toString(minority));
    assertEquals(0, contest.close(), "contenders that have not ended");
  }

  /** The longest time without a holder that is allowed: a multiple of that with all alive. */
  private static Duration longest(RedContest contest) {
    Duration alive = contest.run(MEASURED.multipliedBy(2)).longestGap();
    return (alive.compareTo(SHORTEST) > 0 ? alive : SHORTEST).multipliedBy(RATIO);
  }

  private static void check(RedContest contest, Duration longest, String which) {
    RedContest.Result result = contest.run(MEASURED);
    String what = which + " of five failed: " + result;
    assertTrue(result.longestGap().compareTo(longest) <= 0, what + ", at most " + longest);
    assertEquals(0, result.refused(), what);
    assertTrue(result.holds() > 0, what);
  }
}
