package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Many simulations. The seed of each decides the actions of threads, and the faults and their
 * times. A failure reports its seed, and {@code -Dmortise.simulation.seed=…} runs it again.
 *
 * <p>The seed does not decide everything. Threads that wake at the same moment run in an order that
 * the machine chooses. In that order they draw random numbers for their process's link. So a
 * failure comes again in most runs of its seed, not in every one.
 *
 * <p>{@code -Dmortise.soak=600} goes on for that many seconds.
 */
class SimulationTest implements BackendUnderTest {
  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private static final int SECONDS = Integer.getInteger("mortise.soak", 8);

  @Test
  @Rule({"L1", "L2", "L3", "L9", "L10", "L13", "L14", "L15"})
  void locksKeepTheirPromisesWhateverFails() {
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
    System.out.printf(
        "simulations: %d, times a lock was acquired: %d, read holds shared: %d%n",
        rounds, entered, SimulatedProcess.SHARED_READS.get());
  }

  private static int run(long seed) {
    int entered = new Simulation(seed).run();
    assertTrue(entered > 20, "threads held a lock only " + entered + " times; seed " + seed);
    return entered;
  }
}
