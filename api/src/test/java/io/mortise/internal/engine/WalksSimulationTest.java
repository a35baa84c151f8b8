package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of threads that wait for each other: what is told was true, and what lasts is
 * told. {@code -Dmortise.deadlocks=1000000} runs so many of each.
 */
@Tag("L30")
class WalksSimulationTest {
  private static final int SCHEDULES = Integer.getInteger("mortise.deadlocks", 300);

  private static void run(boolean faults) {
    long told = 0;
    for (long number = 0; number < SCHEDULES; number++) {
      WalksSchedule schedule = new WalksSchedule(number, faults);
      assertEquals(List.of(), schedule.run(), "schedule " + number);
      told += schedule.told();
    }
    System.out.printf("%,d schedules, %,d deadlocks told%n", SCHEDULES, told);
    assertTrue(told > SCHEDULES / 50, "the schedules have few deadlocks: " + told);
  }

  @Test
  void whatIsToldWasTrueAndWhatLastsIsTold() {
    run(false);
  }

  @Test
  void whatIsToldWasTrueAlsoWhenMessagesAreLostOrLateAndLocksAreForcedOpen() {
    run(true);
  }
}
