package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** How long a waiter of one library sleeps after the other library's unlock. */
@Tag("all")
@Tag("once")
@ParameterizedClass
@CsvSource({
  "SINGLE, jedis",
  "SINGLE, lettuce",
  "SENTINELS, jedis",
  "SENTINELS, lettuce",
  "CLUSTER, jedis",
  "CLUSTER, lettuce"
})
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RedissonWakesTest extends RedissonFixture {
  private static final int ROUNDS = 20;

  /** Mortise asks again after 2 s. Redisson does when the lease that it saw ends, after 30 s. */
  private static final long POLLED_MILLIS = 1_500;

  private static final long SLOW_MILLIS = 100;

  RedissonWakesTest(Site site, String provider) {
    super(site, provider);
  }

  @Test
  @Rule({"RS2", "L10"})
  void noWaiterOfMortisePolls(Figures figures) throws Exception {
    measure(theirs(), ours(), "Mortise", figures);
  }

  @Test
  @Rule({"RS2", "L10"})
  void noWaiterOfRedissonPolls(Figures figures) throws Exception {
    measure(ours(), theirs(), "Redisson", figures);
  }

  private void measure(Lock holder, Lock waiter, String who, Figures figures) throws Exception {
    for (Lock lock : List.of(holder, waiter)) { // loads the scripts
      lock.lock();
      lock.unlock();
    }
    List<Long> sleeps = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      holder.lock();
      AtomicLong insideAt = new AtomicLong();
      Future<Boolean> waiting =
          waiting(
              name,
              () -> {
                waiter.lock();
                insideAt.set(System.nanoTime());
                waiter.unlock();
              });
      long freedAt = System.nanoTime();
      holder.unlock();
      assertTrue(waiting.get(40, TimeUnit.SECONDS));
      sleeps.add((insideAt.get() - freedAt) / 1_000_000);
    }
    figures.add(
        "%s, %d waiters of %s woken, slower than 100 ms, longest (ms)"
            .formatted(backendName(), ROUNDS, who),
        slowerThan(sleeps, SLOW_MILLIS) + ", " + Collections.max(sleeps));
    assertEquals(0, slowerThan(sleeps, POLLED_MILLIS), sleeps::toString);
  }

  private static long slowerThan(List<Long> sleeps, long millis) {
    return sleeps.stream().filter(sleep -> sleep > millis).count();
  }
}
