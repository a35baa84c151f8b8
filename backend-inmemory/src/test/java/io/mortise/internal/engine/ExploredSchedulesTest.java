package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.internal.engine.Contest.Defect;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two services compete in many interleavings, for every kind of lock, with the real scripts. Grants
 * meet threads that give up, messages overtake replies, and commands get no answer. A schedule
 * follows from its number, so a failure reports the number and can be repeated.
 *
 * <p>{@code -Dmortise.soak=600} runs about as many schedules as fit into that many seconds. {@code
 * -Dmortise.schedule=17} runs only that one.
 */
@Tag("ci")
class ExploredSchedulesTest implements BackendUnderTest {
  private static final int SOAK = Integer.getInteger("mortise.soak", 0);
  private static final long ONLY = Long.getLong("mortise.schedule", 0);
  private static final long SCHEDULES = SOAK > 0 ? SOAK * 100L : 100;

  /** The kinds of lock. */
  enum Sort {
    EXCLUSIVE,
    READ_WRITE,
    SEMAPHORE,
    LATCH,
    CONDITION,
    SEVERAL;

    ExploredKind kind(Visitor visitor, Schedule schedule) {
      return switch (this) {
        case EXCLUSIVE -> new ExploredKind.Exclusive(visitor, schedule);
        case READ_WRITE -> new ExploredKind.ReadWrite(visitor, schedule);
        case SEMAPHORE -> new ExploredKind.Permits(visitor, schedule);
        case LATCH -> new ExploredKind.Latch(visitor, schedule);
        case CONDITION -> new ExploredKind.ConditionWaiters(visitor, schedule);
        case SEVERAL -> new ExploredKind.Several(visitor, schedule);
      };
    }

    /**
     * A lock of several members pauses between its tries, and a plain lock may be retained for a
     * while. All others need only messages.
     */
    Duration patience() {
      return switch (this) {
        case SEVERAL, EXCLUSIVE, CONDITION -> Duration.ofSeconds(1);
        default -> Duration.ZERO;
      };
    }
  }

  @Override
  public String backendName() {
    return "memory-explored";
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L10", "L14", "L15"})
  void inEveryInterleavingNoThreadIsForgottenAndNothingIsLeft(Sort sort) {
    if (ONLY > 0) {
      explore(sort, ONLY, ONLY, Defect.NONE);
    } else {
      explore(sort, 1, SCHEDULES, Defect.NONE);
    }
  }

  @Test
  @Rule({"L1", "L12"})
  void readersOfAServiceShareInSomeOfThem() {
    int before = ExploredKind.ReadWrite.SHARED.get();
    explore(Sort.READ_WRITE, 1, 200, Defect.NONE);
    int shared = ExploredKind.ReadWrite.SHARED.get() - before;
    assertTrue(shared >= 10, () -> shared + " times in 200 schedules");
  }

  @ParameterizedTest
  @EnumSource(names = {"EXCLUSIVE", "READ_WRITE", "SEMAPHORE", "CONDITION", "SEVERAL"})
  @Rule("L1")
  void aThreadThatDoesNotLockIsFound(Sort sort) {
    assertThrows(AssertionError.class, () -> explore(sort, 1, 200, Defect.NO_EXCLUSION));
  }

  @Test
  @Rule("L10")
  void lostMessagesAreFound() {
    for (Sort sort : Sort.values()) {
      assertThrows(
          AssertionError.class,
          () -> explore(sort, 1, 200, Defect.MESSAGES_LOST),
          () -> sort + " does not miss its messages");
    }
  }

  private static void explore(Sort sort, long first, long last, Defect defect) {
    for (long number = first; number <= last; number++) {
      try {
        new Contest(number, sort::kind, sort.patience(), defect).run();
      } catch (AssertionError e) {
        throw new AssertionError("schedule " + number + " of " + sort + ": " + e.getMessage(), e);
      }
    }
  }
}
