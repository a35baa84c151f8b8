package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Many simulations of Redlocks, each by its own seed, as {@link SimulationTest} does for locks of
 * one store.
 */
class RedSimulationTest implements BackendUnderTest {
  private static final int SECONDS = Integer.getInteger("mortise.soak", 8);

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @Test
  @Rule({"L16", "L1", "L2", "L4", "L7", "L8", "L10", "L15"})
  void redlocksKeepTheirPromisesWhateverFails() {
    Long given = Long.getLong("mortise.simulation.seed");
    if (given != null) {
      run(given);
      return;
    }
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    Random seeds = new Random();
    int rounds = 0;
    int entered = 0;
    while (rounds == 0 || System.nanoTime() - end < 0) {
      entered += run(seeds.nextLong());
      rounds++;
    }
    System.out.printf("Redlock simulations: %d, times a lock was acquired: %d%n", rounds, entered);
  }

  private static int run(long seed) {
    int entered = new RedSimulation(seed).run();
    assertTrue(entered > 5, "threads held the lock only " + entered + " times; seed " + seed);
    return entered;
  }
}
