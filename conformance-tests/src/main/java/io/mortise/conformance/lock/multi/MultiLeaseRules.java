package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.Registration;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The lease of a multi-lock, and its release. */
public abstract class MultiLeaseRules extends MultiFixture {
  private static final Duration SHORT = Duration.ofSeconds(1);

  protected MultiLeaseRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"W12", "L9"})
  void unlockReleasesAllAndReportsTheLostOne() {
    for (boolean first : new boolean[] {true, false}) {
      DistributedLock a = lock();
      DistributedLock b = service().getLock(nameB());
      MultiLock both = MultiLock.of(a, b);
      both.lock();
      assertTrue((first ? a : b).forceUnlock());

      LeaseLostException e = assertThrows(LeaseLostException.class, both::unlock);

      assertTrue(String.valueOf(e.getMessage()).contains(both.name()), e.getMessage());
      assertEquals(1, e.getSuppressed().length);
      assertInstanceOf(LeaseLostException.class, e.getSuppressed()[0]);
      assertFalse(a.isLocked());
      assertFalse(b.isLocked());
      assertEquals(LeaseState.RELEASED, both.leaseState());
    }
  }

  @Test
  @Rule({"L3", "W12"})
  void unlockingWhatIsNotHeldThrowsAndReleasesTheRest() {
    DistributedLock a = lock();
    DistributedLock b = service().getLock(nameB());
    MultiLock both = MultiLock.of(a, b);

    IllegalMonitorStateException none =
        assertThrows(IllegalMonitorStateException.class, both::unlock);
    assertEquals(IllegalMonitorStateException.class, none.getClass());
    String message = String.valueOf(none.getMessage());
    assertTrue(message.contains(both.name()), message);
    assertTrue(message.contains(Thread.currentThread().getName()), message);
    assertTrue(message.contains("check whether tryLock() returned false"), message);
    assertThrows(IllegalMonitorStateException.class, both::ensureHeld);

    both.lock();
    b.unlock();
    assertEquals(LeaseState.RELEASED, both.leaseState());
    assertThrows(IllegalMonitorStateException.class, both::unlock);
    assertFalse(a.isLocked());
  }

  @Test
  @Rule("L2")
  void aLeaseThatAHoldOfTheThreadExcludesIsRefused() {
    DistributedReadWriteLock lock = service().getReadWriteLock(name);
    DistributedLock b = service().getLock(nameB());
    MultiLock writing = MultiLock.of(lock.writeLock(), b);
    MultiLock reading = MultiLock.of(lock.readLock(), b);
    lock.readLock().lock();
    assertThrows(IllegalStateException.class, () -> writing.tryAcquire(Duration.ZERO));
    assertThrows(IllegalStateException.class, writing::acquire);
    lock.readLock().unlock();
    lock.writeLock().lock();
    assertThrows(IllegalStateException.class, () -> reading.tryAcquire(Duration.ZERO));
    assertThrows(IllegalStateException.class, reading::acquire);
    lock.writeLock().unlock();
    assertFalse(b.isLocked());
  }

  /** The thread did not ask whether it holds the lock. */
  @Test
  @Rule({"L3", "L9"})
  void anAttemptHidesNoEarlierLossOfAMember() throws InterruptedException {
    LockService service = service();
    DistributedLock a = service.getLock(name);
    a.lock();
    assertTrue(a.forceUnlock());
    Await.until("the loss is known", () -> a.leaseState() == LeaseState.LOST);

    MultiLock.of(a, service.getLock(nameB())).tryAcquire(Duration.ZERO).orElseThrow().close();
    service.getLock(name + "-c").run(() -> {});

    assertThrows(LeaseLostException.class, a::unlock);
  }

  @Test
  @Rule({"L3", "L9"})
  void anAttemptHidesNoLossOfAnOuterHoldInBetween() {
    LockService service = service();
    DistributedLock a = service.getLock(name);
    MultiLock all = MultiLock.of(a, service.getLock(nameB()), service.getLock(name + "-c"));
    DistributedLock theirB = service().getLock(nameB());
    DistributedLock theirC = service().getLock(name + "-c");
    theirB.lock();
    theirC.lock();
    Contender inside =
        contender(() -> {
          a.lock();
          all.lock();
          return true;
        });
    Await.until("the thread waits for b", () -> isQueued(nameB(), 1));
    theirB.unlock();
    Await.until("the thread waits for c", () -> isQueued(name + "-c", 1));
    assertTrue(a.forceUnlock());
    Await.until("the loss is known", () -> !a.isHeldByThread(inside.thread().getId()));
    theirC.unlock();
    assertTrue(inside.result());

    inside.leave(() -> {
      all.unlock();
      assertThrows(LeaseLostException.class, a::unlock);
    });
  }

  @Test
  @Rule("L9")
  void theStateIsTheWorstOfTheMembers() {
    DistributedLock a = lock();
    DistributedLock b = service().getLock(nameB());
    MultiLock both = MultiLock.of(a, b);
    assertEquals(LeaseState.RELEASED, both.leaseState());
    both.lock();
    both.ensureHeld();
    assertEquals(LeaseState.HELD, both.leaseState());

    assertTrue(a.forceUnlock());
    Await.until("the multi-lock knows the loss", () -> both.leaseState() == LeaseState.LOST);

    assertEquals(LeaseState.HELD, b.leaseState());
    assertThrows(LeaseLostException.class, both::ensureHeld);
    assertFalse(both.isHeldByCurrentThread());
    assertEquals(0, both.getHoldCount());
    assertTrue(b.isHeldByCurrentThread(), "a look changes nothing");
    assertThrows(LeaseLostException.class, both::unlock);
    assertFalse(b.isLocked());
  }

  @Test
  @Rule("L9")
  void theFirstLossOfEveryHoldIsReportedOnce() {
    DistributedLock a = lock();
    DistributedLock b = service().getLock(nameB());
    MultiLock both = MultiLock.of(a, b);
    List<LeaseChange> merged = new CopyOnWriteArrayList<>();
    List<LeaseChange> single = new CopyOnWriteArrayList<>();
    Registration registration = both.onLeaseChange(merged::add);
    a.onLeaseChange(single::add); // runs after the first listener, on the same executor
    b.onLeaseChange(single::add);

    for (int hold = 1; hold <= 3; hold++) {
      if (hold == 3) {
        registration.close();
      }
      both.lock();
      assertTrue((hold == 2 ? b : a).forceUnlock());
      assertTrue((hold == 2 ? a : b).forceUnlock());
      int losses = 2 * hold;
      Await.until("both losses are reported", () -> single.size() == losses);
      assertEquals(Math.min(hold, 2), merged.size());
      assertThrows(LeaseLostException.class, both::unlock);
    }

    LeaseChange event = merged.get(0);
    assertEquals(both.name(), event.name());
    assertEquals(LeaseState.LOST, event.state());
    assertTrue(event.reason().contains(name), event.reason());
  }

  @Test
  @Rule("W10")
  void theLeaseIsNotMultipliedByAttempts() {
    DistributedLock a = lock();
    DistributedLock b = service().getLock(nameB());
    MultiLock both = MultiLock.of(a, b);
    DistributedLock theirA = lock();
    DistributedLock theirB = service().getLock(nameB());
    theirB.lock();
    Contender waiter = contender(locking(both.withLease(Duration.ofSeconds(20))));
    Await.until("the attempt was refused once", () -> isQueued(nameB(), 1));
    theirA.lock();
    theirB.unlock();
    awaitQueued(1);
    assertFalse(theirB.isLocked(), "the attempt was refused twice");
    theirA.unlock();

    assertTrue(waiter.result());
    for (DistributedLock each : List.of(theirA, theirB)) {
      long left = each.remainTimeToLive();
      assertTrue(left > 10_000 && left <= 20_000, left + " ms");
    }
    waiter.leave(both::unlock);
    assertFalse(a.isLocked() || b.isLocked());
  }

  @Test
  @Rule({"W13", "L7"})
  void aLeaseThatIsOverBeforeTheLastIsTakenIsNoSuccess() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock a = lock();
    DistributedLock b = service(link, builder -> builder).getLock(nameB());
    MultiLock both = MultiLock.of(a, b.withLease(Duration.ofSeconds(20)));
    MultiLock quick = MultiLock.of(a.withLease(SHORT), b.withLease(Duration.ofSeconds(20)));
    HeldCall slow = link.hold("acquire");
    Contender holder = contender(locking(quick));
    slow.awaitSent();
    passTime(SHORT.plusMillis(200));
    slow.pass();

    assertInstanceOf(LeaseLostException.class, holder.failure());
    assertFalse(a.isLocked());
    assertFalse(b.isLocked());
    assertTrue(both.tryLock(), "the next attempt starts afresh");
    both.unlock();
  }

  @Test
  @Rule({"W10", "L8"})
  void membersKeepTheirOwnTerms() {
    DistributedLock a = lock();
    DistributedLock b = service().getLock(nameB());
    MultiLock both = MultiLock.of(a.withLease(Duration.ofSeconds(20)), b);
    both.lock();
    assertTrue(a.remainTimeToLive() <= 20_000);
    assertTrue(b.remainTimeToLive() > 20_000);
    both.unlock();

    both.lock(5, TimeUnit.SECONDS);
    assertTrue(a.remainTimeToLive() <= 5_000 && b.remainTimeToLive() <= 5_000);
    both.unlock();
  }
}
