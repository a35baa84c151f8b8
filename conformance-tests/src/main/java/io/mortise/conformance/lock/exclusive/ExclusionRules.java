package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Crew;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Mutual exclusion, shown with a counter that loses updates when two threads hold the lock. */
public abstract class ExclusionRules extends LockRules {
  private static final int THREADS = 6;
  private static final int ROUNDS = 150;

  protected ExclusionRules(LockKit kit) {
    super(kit);
  }

  private static int count(List<? extends Lock> locks) throws InterruptedException {
    Counter counter = new Counter();
    Crew.run(
        THREADS,
        number -> {
          Lock lock = locks.get(number % locks.size());
          for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            try {
              counter.run();
            } finally {
              lock.unlock();
            }
          }
        });
    return counter.value();
  }

  @Test
  @Rule({"L1", "L6"})
  void threadsOfOneServiceExcludeEachOther() throws InterruptedException {
    assertEquals(THREADS * ROUNDS, count(List.of(lock())));
  }

  @Test
  @Rule({"L1", "L6"})
  void servicesExcludeEachOther() throws InterruptedException {
    assertEquals(THREADS * ROUNDS, count(List.of(lock(), lock(), lock())));
  }

  @Test
  @Rule("L1")
  void servicesWithoutHandOffExcludeEachOther() throws InterruptedException {
    List<DistributedLock> locks =
        IntStream.range(0, 2)
            .mapToObj(i -> service(builder -> builder.handOffLimit(0)).getLock(name))
            .toList();

    assertEquals(THREADS * ROUNDS, count(locks));
  }

  @Test
  @Rule("L1")
  void withoutACommonLockTheCounterLosesUpdates() throws InterruptedException {
    LockService service = service();
    List<DistributedLock> locks =
        IntStream.range(0, THREADS).mapToObj(i -> service.getLock(name + '-' + i)).toList();
    // Repeats until an update is lost. Without a loss the tests above would prove nothing.
    int lost = 0;
    for (int attempt = 0; attempt < 100 && lost == 0; attempt++) {
      lost = THREADS * ROUNDS - count(locks);
    }

    assertTrue(lost > 0, "no update was lost");
  }

  @Test
  @Rule("L1")
  void theSameCounterUnderTheLocalOracle() throws InterruptedException {
    assertEquals(THREADS * ROUNDS, count(List.of(new ReentrantLock())));
  }
}
