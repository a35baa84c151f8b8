package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** A lease as a value: any thread may use it, it is renewed, and it reports its end. */
public abstract class LeaseValueRules extends LockRules {
  private static final Duration SECONDS = Duration.ofSeconds(10);

  protected LeaseValueRules(LockKit kit) {
    super(kit);
  }

  private static long stored(DistributedLock lock) {
    return lock.remainTimeToLive();
  }

  private void assertFree() {
    assertTrue(lock().tryLock());
  }

  @Test
  @Rule("L8")
  void aLeaseIsRenewedOverThreeOfItsLeasesWhileAnybodyRefersToIt() {
    Duration time = SECOND.multipliedBy(3);
    try (Lease lease = lockWithLease(time).async().acquire().join()) {
      for (int i = 0; i < 13; i++) {
        passTime(time.dividedBy(4));
        System.gc();
        assertTrue(lease.isValid());
      }
      assertFalse(lock().tryLock());
      assertTrue(lease.remaining().compareTo(time) < 0);
    }
    assertFree();
  }

  @Test
  @Rule({"L7", "L9"})
  void aFixedLeaseEndsIsReportedOnceAndIsNotRevived() throws InterruptedException {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    Lease lease = lock().withLease(Duration.ofMillis(500)).acquire();
    Lease same = lease.onLost(event -> told.add(event.name() + ' ' + event.state()));
    assertEquals(lease, same);
    passTimeUntil("the lease ends", SECONDS, () -> lease.state() == LeaseState.LOST);
    assertFalse(lease.isValid());
    assertEquals(Duration.ZERO, lease.remaining());
    Await.until("the listener got the loss", () -> !told.isEmpty());
    lease.onLost(event -> told.add("later"));
    Await.until("the late listener got the loss", () -> told.size() > 1);
    assertFalse(lease.extend(SECONDS));
    assertThrows(LeaseLostException.class, lease::close);
    lease.close();
    assertEquals(List.of(name + " LOST", "later"), told);
    assertFree();
  }

  @Test
  @Rule({"L9", "L15"})
  void aLeaseThatNobodyHasAnyMoreIsNotRenewed() throws InterruptedException {
    DistributedLock lock = lockWithLease(SECOND);
    acquireAndDrop(lock);
    DistributedLock next = lock();
    passTimeUntil(
        "the lease ends",
        SECONDS.multipliedBy(2),
        () -> {
          System.gc();
          return next.tryLock();
        });
  }

  private static void acquireAndDrop(DistributedLock lock) throws InterruptedException {
    assertTrue(lock.acquire().isValid());
  }

  @Test
  @Rule({"L8", "A5"})
  void extendingMakesItLongerAndNeverShorter() throws InterruptedException {
    DistributedLock lock = lock();
    Lease fixed = lock.withLease(SECOND).acquire();
    assertTrue(fixed.extend(Duration.ofSeconds(60)));
    assertTrue(stored(lock) > 50_000);
    assertTrue(fixed.extendAsync(SECOND).join());
    assertTrue(stored(lock) > 50_000);
    assertTrue(fixed.remaining().toSeconds() >= 50);
    fixed.close();
    assertThrows(IllegalStateException.class, () -> fixed.extend(SECOND));
    try (Lease renewed = lockWithLease(SECOND.multipliedBy(2)).acquire()) {
      assertTrue(renewed.extend(SECOND));
      passTime(SECOND.multipliedBy(3));
      assertTrue(renewed.isValid(), "the lease is still renewed");
    }
    assertFree();
  }

  @Test
  @Rule("L8")
  void extendingByLittleAgainAndAgainPutsOffNoRenewal() throws InterruptedException {
    Duration time = SECOND.multipliedBy(3);
    try (Lease lease = lockWithLease(time).acquire()) {
      for (int i = 0; i < 10; i++) {
        assertTrue(lease.extend(SECOND.dividedBy(2)));
        passTime(SECOND.dividedBy(2));
      }
      assertTrue(lease.isValid());
    }
    assertFree();
  }

  @Test
  @Rule("L9")
  void aForcedUnlockIsReportedToTheLease() throws InterruptedException {
    Lease lease = lock().acquire();
    assertTrue(lock().forceUnlock());
    Await.until("the lease is lost", () -> lease.state() == LeaseState.LOST);
    assertFalse(lease.extendAsync(SECOND).join());
    assertInstanceOf(
        LeaseLostException.class,
        assertThrows(CompletionException.class, () -> lease.releaseAsync().join()).getCause());
    assertFree();
  }

  @Test
  @Rule("L9")
  void aLeaseWhoseKeyIsGoneSaysSoWhenItIsClosed() throws InterruptedException {
    Lease lease = lock().acquire();
    deleteKey();
    assertThrows(LeaseLostException.class, lease::close);
    lease.close();
  }

  @Test
  @Rule("L3")
  void anyThreadMayCloseItAndOnlyOnceItCounts() throws InterruptedException {
    DistributedLock lock = lock();
    Lease lease = lock.acquire();
    Thread other = new Thread(lease::close);
    other.start();
    other.join();
    assertEquals(LeaseState.RELEASED, lease.state());
    try (Lease next = lock.acquire()) {
      lease.close();
      lease.releaseAsync().join();
      assertTrue(next.isValid());
      assertFalse(lock().tryLock(), "closing the old one again did not touch the new one");
    }
  }

  @Test
  @Rule("L13")
  void leasesOfAFencedLockHaveRisingTokens() throws InterruptedException {
    FencedLock lock = service().getFencedLock(name);
    long last = lock.lockAndGetToken();
    lock.unlock();
    for (int i = 0; i < 5; i++) {
      try (Lease lease = lock.acquire()) {
        long token = lease.fencingToken().orElseThrow();
        assertTrue(token > last, token + " after " + last);
        last = token;
      }
    }
    assertTrue(lock.lockAndGetToken() > last);
    lock.unlock();
    try (Lease plain = lock().acquire()) {
      assertTrue(plain.fencingToken().isEmpty());
    }
  }

  @Test
  @Rule("L11")
  void leasesOfAFairLockOvertakeNobody() throws InterruptedException {
    DistributedLock holder = service().getFairLock(name);
    holder.lock();
    DistributedLock waiting = service().getFairLock(name);
    Contender waiter = entering(waiting);
    awaitQueued(1);
    deleteKey();
    assertTrue(service().getFairLock(name).tryAcquire(Duration.ZERO).isEmpty());
    assertTrue(waiter.result());
    waiter.leave(waiting::unlock);
  }
}
