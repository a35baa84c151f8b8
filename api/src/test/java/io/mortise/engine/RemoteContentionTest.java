package io.mortise.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.mortise.engine.Contest.Defect;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two services contend for one lock in many interleavings: grants meet threads that give up,
 * messages overtake replies or come for ids that nobody knows, commands get no answer. Every
 * schedule follows from its number, so a failure names the number and happens again.
 *
 * <p>{@code -Dmortise.soak=600} runs about as many schedules as fit into that many seconds; {@code
 * -Dmortise.schedule=17} only that one.
 */
@Tag("L1")
@Tag("L10")
@Tag("L14")
@Tag("L15")
class RemoteContentionTest {
  private static final int SOAK = Integer.getInteger("mortise.soak", 0);
  private static final long ONLY = Long.getLong("mortise.schedule", 0);
  private static final long SCHEDULES = SOAK > 0 ? SOAK * 500L : 2_000;

  @Test
  void whateverTheInterleavingOneIsInsideNobodyIsForgottenNothingIsLeft() {
    if (ONLY > 0) {
      explore(ONLY, ONLY, Defect.NONE);
    } else {
      explore(1, SCHEDULES, Defect.NONE);
    }
  }

  @Test
  void aThreadThatDoesNotLockIsFound() {
    assertThrows(AssertionError.class, () -> explore(1, 100, Defect.ONE_DOES_NOT_LOCK));
  }

  @Test
  void aLostMessageIsFound() {
    assertThrows(AssertionError.class, () -> explore(1, 100, Defect.MESSAGES_LOST));
  }

  private static void explore(long first, long last, Defect defect) {
    for (long number = first; number <= last; number++) {
      try {
        new Contest(number, defect).run();
      } catch (AssertionError e) {
        throw new AssertionError("schedule " + number + ": " + e.getMessage(), e);
      }
    }
  }
}
