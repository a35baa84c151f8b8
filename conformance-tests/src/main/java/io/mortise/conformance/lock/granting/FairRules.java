package io.mortise.conformance.lock.granting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import io.mortise.conformance.support.Await;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The fair lock: first come, first served, across threads, services and processes. */
public abstract class FairRules extends LockRules {
  private static final Duration LEASE = Duration.ofHours(1);

  protected FairRules(LockKit kit) {
    super(kit);
  }

  private DistributedLock fairLock() {
    return service(builder -> builder.leaseTime(LEASE)).getFairLock(name);
  }

  /** Threads that queue one after another, and note when they hold the lock. */
  private List<Contender> queue(List<DistributedLock> locks, List<Integer> order) {
    List<Contender> all = new ArrayList<>();
    for (int i = 0; i < locks.size(); i++) {
      DistributedLock lock = locks.get(i);
      int number = i;
      all.add(
          contender(() -> {
            lock.lock();
            order.add(number);
            lock.unlock();
            return true;
          }));
      awaitQueued(i + 1);
    }
    return all;
  }

  @Test
  @Rule("L11")
  void threadsOfAllServicesGetItInTheOrderOfTheirArrival() {
    List<DistributedLock> services = List.of(fairLock(), fairLock(), fairLock());
    DistributedLock holder = services.get(0);
    holder.lock();
    // Two neighbours of each service. With a local hand-off they would follow each other.
    List<DistributedLock> arrivals =
        IntStream.of(0, 1, 0, 2, 2, 1, 0, 1, 2, 0).mapToObj(services::get).toList();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Contender> contenders = queue(arrivals, order);

    holder.unlock();

    contenders.forEach(Contender::result);
    assertEquals(IntStream.range(0, arrivals.size()).boxed().toList(), order);
  }

  @Test
  @Rule("L11")
  void aThreadThatComesAgainQueuesBehindTheWaiters() {
    DistributedLock first = fairLock();
    DistributedLock second = fairLock();
    List<String> turns = Collections.synchronizedList(new ArrayList<>());
    first.lock();
    Contender other =
        contender(() -> {
          for (int i = 0; i < 20; i++) {
            second.lock();
            turns.add("b");
            Await.until("the first thread waits", () -> turns.size() > 38 || isQueued(1));
            second.unlock();
          }
          return true;
        });
    awaitQueued(1);
    for (int i = 0; i < 19; i++) {
      first.unlock();
      first.lock();
      turns.add("a");
      Await.until("the other thread waits", () -> turns.size() > 38 || isQueued(1));
    }
    first.unlock();

    assertTrue(other.result());
    assertEquals("ba".repeat(19) + "b", String.join("", turns));
  }

  @Test
  @Rule("L11")
  void anAttemptWithoutTimeOvertakesNobody() {
    DistributedLock passing = fairLock();
    assertTrue(passing.tryLock());
    passing.unlock();
    DistributedLock holder = fairLock();
    holder.lock();
    DistributedLock waiting = fairLock();
    Contender waiter = entering(waiting);
    awaitQueued(1);

    deleteKey(); // free, and no waiter knows it: a plain lock's attempt would succeed

    assertFalse(passing.tryLock());
    assertTrue(waiter.result());
    waiter.leave(waiting::unlock);
    assertTrue(passing.tryLock());
    passing.unlock();
  }

  @Test
  @Rule({"L4", "L5", "L11"})
  void aThreadThatGivesUpLeavesTheQueueAtOnce() {
    DistributedLock holder = fairLock();
    holder.lock();
    DistributedLock both = fairLock();
    Contender timed = contender(() -> both.tryLock(100, TimeUnit.MILLISECONDS));
    Contender patient =
        contender(() -> {
          both.lockInterruptibly();
          return true;
        });
    awaitQueuedAtMost(2);
    passTime(Duration.ofMillis(150));
    assertFalse(timed.result());
    awaitQueued(1);

    patient.interrupt();

    assertInstanceOf(InterruptedException.class, patient.failure());
    awaitQueued(0);
    holder.unlock();
    assertTrue(both.tryLock());
    both.unlock();
  }

  private void awaitQueuedAtMost(long most) {
    Await.until(
        "a thread waits", () -> IntStream.rangeClosed(1, (int) most).anyMatch(this::isQueued));
  }

  @Test
  @Rule({"L10", "A11"})
  void allWaitersOfAFrozenProcessTogetherCostSeconds() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService service = service(link, builder -> builder.leaseTime(LEASE));
    DistributedLock lock = service.getFairLock(name);
    lock.lock();
    lock.unlock(); // the server knows both scripts now
    lock.lock();
    ScriptedClient frozen = new ScriptedClient(backend(), link, name, "frozen").listening();
    IntStream.rangeClosed(1, 30).forEach(frozen::assertWaits);
    DistributedLock alive = fairLock();
    Contender waiter = entering(alive);
    awaitQueued(31);

    lock.unlock();

    passTimeUntil("the live waiter holds the lock", Duration.ofSeconds(8), waiter::isInside);
    waiter.leave(alive::unlock);
    frozen.awaitMail(1);
  }

  @Test
  @Rule("L11")
  void aWaiterKeepsItsPlaceHoweverLongItWaits() {
    assumeFalse(backend().time().equals(TimeSource.system()), "needs time that a test can move");
    DistributedLock holder = fairLock();
    holder.lock();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<Contender> waiters = queue(List.of(fairLock(), fairLock()), order);
    for (int i = 0; i < 8; i++) { // longer than a waiter counts as alive without a sign of life
      waiters.forEach(Contender::awaitRest);
      passTime(Duration.ofMillis(1500));
    }
    assertTrue(isQueued(2));

    holder.unlock();

    waiters.forEach(Contender::result);
    assertEquals(List.of(0, 1), order);
  }

  @Test
  @Rule({"L1", "L2"})
  void itIsTheSameLockAsTheUnfairOneOfThatName() throws InterruptedException {
    LockService service = service();
    DistributedLock fair = service.getFairLock(name);
    DistributedLock plain = service.getLock(name);
    fair.lock();
    plain.lock();
    assertEquals(2, fair.getHoldCount());
    assertTrue(plain.isHeldByThread(Thread.currentThread().getId()));
    Contender local = contender(plain::tryLock);
    assertFalse(local.result());
    assertFalse(service().getLock(name).tryLock());
    fair.unlock();
    assertTrue(plain.isHeldByCurrentThread());
    plain.unlock();

    plain.lock();
    assertTrue(fair.tryLock());
    assertFalse(contender(fair::tryLock).result());
    plain.unlock();
    plain.unlock();
    assertFalse(fair.isLocked());
  }
}
