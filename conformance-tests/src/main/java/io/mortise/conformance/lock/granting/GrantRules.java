package io.mortise.conformance.lock.granting;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HandOffs;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A lock that goes from thread to thread, many times: no waiter is forgotten, none starves. */
public abstract class GrantRules extends LockRules {
  private static final int HAND_OVERS = 300;

  protected GrantRules(LockKit kit) {
    super(kit);
  }

  private static void meet(CyclicBarrier barrier) throws Exception {
    barrier.await(15, TimeUnit.SECONDS);
  }

  /**
   * The releases fall anywhere between the other's call and its first long sleep. A lost message
   * costs a re-check of 2 s. So the test ends as soon as more waits were slow than a busy machine
   * explains.
   */
  @Test
  @Rule({"W7", "L10"})
  void aReleaseAtAnyMomentWakesTheOther(Figures figures) throws InterruptedException {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    CyclicBarrier barrier = new CyclicBarrier(2);
    Waits waits = new Waits();
    long[] released = new long[1];

    Crew.run(
        2,
        number -> {
          for (int i = 0; i < HAND_OVERS && !waits.areTooSlow(); i++) {
            if (number == 0) {
              mine.lock();
              meet(barrier);
              LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(3_000_000));
              released[0] = System.nanoTime();
              mine.unlock();
              meet(barrier);
            } else {
              meet(barrier);
              theirs.lock();
              waits.since(released[0]);
              theirs.unlock();
              meet(barrier);
            }
            meet(barrier);
          }
        });

    waits.note(figures, "unlock to grant");
    waits.assertFewSlow();
    assertTrue(
        waits.median() < 500, () -> "half of the waits were long: " + waits.median() + " ms");
  }

  @Test
  @Rule("L12")
  void aServiceHandsTheLockOffAtMostAsOftenAsItsLimit() throws InterruptedException {
    HandOffs handOffs = new HandOffs();
    LockService busy = service(builder -> builder.handOffLimit(5).listener(handOffs));
    DistributedLock lock = busy.getLock(name);

    Crew.run(
        8,
        number -> {
          for (int i = 0; i < 50; i++) {
            lock.lock();
            LockSupport.parkNanos(20_000); // so that other threads wait
            lock.unlock();
          }
        });

    Await.until("each hold is told", () -> handOffs.begun() == 8 * 50);
    assertTrue(handOffs.all() > 0, "no hand-off happened");
    int most = handOffs.most();
    assertTrue(most <= 5, () -> most + " hand-offs of one acquisition");
  }

  /** The other service has asked. Whether its message is heard or not, a second is long enough. */
  @Test
  @Rule({"L11", "L12"})
  void aLockHeldForLongGoesToTheOtherServiceFirst() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender other = contender(() -> theirs.tryLock(1, TimeUnit.HOURS));
    awaitQueued(1);
    Contender local = contender(() -> mine.tryLock(1, TimeUnit.HOURS));
    passTime(SECOND);

    mine.unlock();

    assertTrue(other.result());
    assertFalse(local.isInside());
    other.leave(theirs::unlock);
    assertTrue(local.result());
    local.leave(mine::unlock);
  }

  /** Time passes while the busy service has the lock, also where only tests move it. */
  @Test
  @Rule("L12")
  void aSingleThreadGetsTheLockAgainstABusyService(Figures figures) throws InterruptedException {
    DistributedLock theirs = lock();
    DistributedLock mine = lock();
    BusyService busy =
        new BusyService(
            8,
            number -> {
              theirs.lock();
              theirs.unlock();
              if (number == 0) {
                passTime(Duration.ofMillis(10));
              }
            });

    Waits waits =
        busy.waitsOfOneMore(
            30,
            time -> {
              assertTrue(mine.tryLock(15, TimeUnit.SECONDS), "no acquisition in 15 s");
              return mine::unlock;
            });

    waits.note(figures, "wait of the single thread");
    waits.assertFewSlow();
  }

  @Test
  @Rule("L12")
  void twoServicesWithFourThreadsEachShareTheLock(Figures figures) throws InterruptedException {
    List<DistributedLock> locks = List.of(lock(), lock());
    int rounds = 150;
    Waits waits = new Waits();

    Crew.run(
        8,
        number -> {
          for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            locks.get(number % 2).lock();
            waits.since(start);
            locks.get(number % 2).unlock();
          }
        });

    figures.add("8 threads of 2 services, p50 ms", waits.millis(0.5));
    figures.add("8 threads of 2 services, p99.9 ms", waits.millis(0.999));
    waits.assertFewSlow();
  }
}
