package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.internal.engine.MultiContest.Way;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several threads try the same or overlapping sets of locks in many interleavings, and one of them
 * wins (docs/decisions/0009-multi-locks.md#d32). The system properties are those of {@link
 * ExploredSchedulesTest}.
 */
@Tag("ci")
class MultiContentionTest implements BackendUnderTest {
  private static final int SOAK = Integer.getInteger("mortise.soak", 0);
  private static final long ONLY = Long.getLong("mortise.schedule", 0);
  private static final long SCHEDULES = SOAK > 0 ? SOAK * 500L : 500;

  @Override
  public String backendName() {
    return "memory-explored";
  }

  @Test
  @Rule({"L1", "L5", "L15"})
  void inEveryInterleavingOneContenderWins() {
    if (ONLY > 0) {
      explore(ONLY, ONLY, Way.AS_THE_LIBRARY_DOES);
    } else {
      explore(1, SCHEDULES, Way.AS_THE_LIBRARY_DOES);
    }
  }

  @Test
  @Rule("L5")
  void contendersInAnyOrderAllLoseAndThatIsFound() {
    assertThrows(AssertionError.class, () -> explore(1, 500, Way.IN_ANY_ORDER));
  }

  private static void explore(long first, long last, Way way) {
    for (long number = first; number <= last; number++) {
      try {
        new MultiContest(number, way).run();
      } catch (AssertionError e) {
        throw new AssertionError("schedule " + number + ": " + e.getMessage(), e);
      }
    }
  }
}
