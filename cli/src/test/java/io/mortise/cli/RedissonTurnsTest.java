package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Both libraries on one lock, in threads that never pause. */
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
class RedissonTurnsTest extends RedissonFixture {
  private static final int THREADS = 2;
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(30);

  /** How often each side must have held the lock. */
  private static final int SHARE = 20;

  private final AtomicLong ours = new AtomicLong();
  private final AtomicLong theirs = new AtomicLong();

  /** Not atomic: an increment is lost if two threads hold the lock. */
  private long counter;

  RedissonTurnsTest(Site site, String provider) {
    super(site, provider);
  }

  private List<Worker> theirWorkers() {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Lock lock = redisson(LEASE).getLock(name);
      for (int thread = 0; thread < THREADS; thread++) {
        workers.add(new Worker(lock, theirs));
      }
    }
    return workers;
  }

  private record Worker(Lock lock, AtomicLong stays) {}

  /** Runs until both sides have their share and the shortest time is over, or until the longest. */
  private void run(List<Worker> workers, int share) throws InterruptedException {
    long start = System.nanoTime();
    Crew.run(
        workers.size(),
        number -> {
          Worker worker = workers.get(number);
          while (goesOn(System.nanoTime() - start, share)) {
            worker.lock.lock();
            try {
              increment();
              worker.stays.incrementAndGet();
            } finally {
              worker.lock.unlock();
            }
          }
        });
  }

  private boolean goesOn(long passed, int share) {
    boolean shared = ours.get() >= share && theirs.get() >= share;
    return passed < (shared ? SHORTEST : LONGEST).toNanos();
  }

  @SuppressWarnings("ThreadPriorityCheck") // another thread should run here
  private void increment() {
    long before = counter;
    Thread.yield();
    counter = before + 1;
  }

  private void checkedRun(List<Worker> workers, Figures figures) throws InterruptedException {
    long start = System.nanoTime();
    run(workers, SHARE);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    figures.add(
        "%s, %d threads of Mortise, 4 of Redisson, holds"
            .formatted(backendName(), workers.size() - 4),
        "%d and %d in %d ms".formatted(ours.get(), theirs.get(), millis));
    assertEquals(ours.get() + theirs.get(), counter, "increments were lost");
    assertTrue(ours.get() >= SHARE, () -> "Mortise had " + ours);
    assertTrue(theirs.get() >= SHARE, () -> "Redisson had " + theirs);
  }

  /** The services' queue is never empty. Without RS3 the store could always grant to them. */
  @Test
  @Rule({"RS1", "RS3", "L1"})
  void twoServicesAndTwoClientsExcludeEachOtherAndBothHaveAShare(Figures figures)
      throws InterruptedException {
    List<Worker> workers = theirWorkers();
    for (int i = 0; i < 2; i++) {
      Lock lock = ours();
      for (int thread = 0; thread < THREADS; thread++) {
        workers.add(new Worker(lock, ours));
      }
    }
    checkedRun(workers, figures);
  }

  @Test
  @Rule({"RS1", "RS3", "L1"})
  void oneThreadOfMortiseHasItsShareAmongClientsOfRedisson(Figures figures)
      throws InterruptedException {
    List<Worker> workers = theirWorkers();
    workers.add(new Worker(ours(), ours));
    checkedRun(workers, figures);
  }

  /** The counterpart: without the option these are two locks. */
  @Test
  @Rule("RS1")
  void withoutTheOptionIncrementsAreLost(Figures figures) throws InterruptedException {
    List<Worker> workers = theirWorkers();
    LockService apart = ownService();
    workers.add(new Worker(apart.getLock(name), ours));
    run(workers, 1);

    long lost = ours.get() + theirs.get() - counter;
    figures.add("increments lost, not shared with Redisson", Long.toString(lost));
    assertTrue(lost > 0, "no increment was lost");
  }
}
