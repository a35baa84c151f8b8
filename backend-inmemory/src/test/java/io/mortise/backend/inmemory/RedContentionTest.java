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

  /**
   * In percent of those with all alive. The worst of 666 contests had 82. Members that are split
   * leave 49 to 56, and a wait for the silent member in each change 6 to 15.
   */
  private static final int FEWEST_HOLDS = 70;

  /**
   * One gap may have several rounds with pauses of random length. The longest of 666 contests was
   * 65 ms, and each further round is less likely.
   */
  private static final Duration LONGEST_GAP = Duration.ofMillis(200);

  private static final Duration MEASURED = Duration.ofSeconds(1);

  /**
   * Then the contenders know which members have failed, and the attempts of before are over. An
   * attempt that is under way when a member fails may be slow.
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
    MINORITIES.forEach(minority -> contend(contenders, Fault.DOWN, minority));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 16})
  @Rule({"L16", "L5", "L10"})
  void aSilentMinorityDoesNotKeepTheLockFree(int contenders) {
    MINORITIES.forEach(minority -> contend(contenders, Fault.SILENT, minority));
  }

  private void contend(int contenders, Fault fault, int[] minority) {
    long seed = seeds.nextLong();
    RedContest contest = new RedContest(seed, contenders);
    int alive = contest.run(MEASURED.multipliedBy(2)).holds() / 2;
    contest.fail(fault, minority);
    String which = "seed " + seed + ", " + Arrays.toString(minority) + " of five failed: ";
    if (fault == Fault.DOWN) {
      check(contest.run(MEASURED), alive, which);
    }
    RedContest.Result unused = contest.run(SETTLED);
    RedContest.Result settled = contest.run(MEASURED);
    check(settled, alive, which);
    assertEquals(0, settled.refused(), which + settled);
    assertEquals(0, contest.close(), "contenders that have not ended");
  }

  private static void check(RedContest.Result result, int alive, String which) {
    assertTrue(
        result.holds() * 100 >= alive * FEWEST_HOLDS, which + result + ", with all alive " + alive);
    assertTrue(
        result.longestGap().compareTo(LONGEST_GAP) <= 0,
        which + result + ", at most " + LONGEST_GAP);
  }
}
