package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/** Closing a service with a time limit: no new work, and time for the holds to end. */
@Rule("L17")
public abstract class DrainRules extends LockRules {
  private static final Duration HOUR = Duration.ofHours(1);

  private final LockService closing = service(ofOneServer(), builder -> builder);
  private final DistributedLock lock = closing.getLock(name);

  protected DrainRules(LockKit kit) {
    super(kit);
  }

  /** Starts a thread that closes with this time limit. Returns when it waits or is done. */
  private Contender closer(Duration patience) {
    return contender(() -> closing.close(patience));
  }

  private Contender inside(LeasedLock wanted) {
    Contender holder =
        contender(() -> {
          wanted.lock();
          return true;
        });
    assertTrue(holder.result());
    return holder;
  }

  private void assertFree() {
    DistributedLock other = lock();
    assertTrue(other.tryLock(), "the lock is free");
    other.unlock();
  }

  @Test
  @Rule("L2")
  void aHolderEndsItsWorkWhileTheServiceCloses() {
    Contender holder = inside(lock);
    Contender closer = closer(HOUR);

    assertThrows(LockServiceClosedException.class, lock::tryLock);
    assertThrows(LockServiceClosedException.class, lock::lock);
    assertThrows(LockServiceClosedException.class, () -> lock.tryAcquire(SECOND));
    assertThrows(LockServiceClosedException.class, () -> closing.getSemaphore(name).tryAcquire());
    assertFalse(closer.isInside(), "close waits for the holder");

    holder.leave(() -> {
      lock.lock();
      lock.unlock();
      closing.getLock(name).ensureHeld();
      closing.getLock(name).unlock();
    });
    assertTrue(closer.result(), "close found all holds released");
    assertFree();
    assertThrows(LockServiceClosedException.class, lock::isLocked);
  }

  @Test
  void aReleaseThatIsOutIsSentBeforeTheServiceIsClosed() throws InterruptedException {
    for (int i = 0; i < 50; i++) {
      LockService brief = service();
      Lease lease = brief.getLock(name).acquire();
      CompletableFuture<Void> released = lease.releaseAsync();
      brief.close();
      Await.until("the release is complete", released::isDone);
      assertFalse(released.isCompletedExceptionally(), "the lease was released");
      assertFree();
    }
  }

  @Test
  void aThreadDoesNotWaitForItsOwnRedlock() {
    LeasedLock mine = RedLock.of(lock, closing.getLock(name + "-2"), closing.getLock(name + "-3"));
    Contender self =
        contender(() -> {
          mine.lock();
          return closing.close(HOUR);
        });
    assertTrue(self.result(), "no other hold is left");
  }

  @Test
  @Rule("L8")
  void whatIsHeldIsRenewedWhileTheServiceCloses() {
    Duration lease = SECOND.multipliedBy(3); // enough for renewals on a busy machine
    LockService brief = service(builder -> builder.leaseTime(lease));
    DistributedLock held = brief.getLock(name);
    Contender holder = inside(held);
    Contender closer = contender(() -> brief.close(HOUR));

    passTime(lease.multipliedBy(2));

    holder.leave(held::unlock);
    assertTrue(closer.result());
  }

  @Test
  void waitersAreRefusedBeforeTheHoldEnds() throws InterruptedException {
    Contender holder = inside(lock);
    Contender waiter = contender(() -> lock.tryLock(1, TimeUnit.HOURS));
    Contender fair = entering(closing.getFairLock(name));
    CompletableFuture<Lease> pending = lock.async().acquire();
    Await.until("all of them wait", () -> isQueued(2) || isQueued(3));

    Contender closer = closer(HOUR);

    assertInstanceOf(LockServiceClosedException.class, waiter.failure());
    assertInstanceOf(LockServiceClosedException.class, fair.failure());
    Await.until("the future fails", pending::isCompletedExceptionally);
    awaitQueued(0);
    holder.leave(lock::unlock);
    assertTrue(closer.result());
    assertFree();
  }

  @Test
  @SuppressWarnings("WaitNotInLoop") // await does not return here
  void aThreadThatWaitsForAConditionIsRefused() {
    Condition ready = lock.newCondition();
    Contender waiter =
        contender(() -> {
          lock.lock();
          ready.await();
          return true;
        });
    Contender holder = inside(lock);

    Contender closer = closer(HOUR);

    assertInstanceOf(LockServiceClosedException.class, waiter.failure());
    holder.leave(() -> {
      assertThrows(LockServiceClosedException.class, ready::await);
      lock.unlock();
    });
    assertTrue(closer.result());
  }

  @Test
  @Rule("L7")
  void whenTheTimeIsOverWhatThreadsHoldEndsWithItsLease() {
    LockService brief = service(builder -> builder.leaseTime(SECOND.multipliedBy(2)));
    DistributedLock held = brief.getLock(name);
    Contender holder = inside(held);
    Contender closer = contender(() -> brief.close(SECOND));

    passTimeUntil("the time limit is over", SECOND.multipliedBy(5), () -> isClosed(brief));
    assertFalse(closer.result());

    holder.leave(() -> assertThrows(LockServiceClosedException.class, held::unlock));
    passTimeUntil("the lease ends", SECOND.multipliedBy(10), lock::tryLock);
  }

  private static boolean isClosed(LockService service) {
    try {
      return service.getLock("any").name().isEmpty();
    } catch (LockServiceClosedException e) {
      return true;
    }
  }

  @Test
  void leasesAreWaitedForAndThoseLeftAreReleased() throws InterruptedException {
    Lease lease = lock.acquire();
    DistributedSemaphore permits = closing.getSemaphore(name);
    assertTrue(permits.trySetPermits(1));
    Lease permit = permits.acquire();
    Contender closer = closer(SECOND);

    lease.close();
    assertFree();
    assertTrue(permit.isValid());
    passTimeUntil("the time limit is over", SECOND.multipliedBy(5), () -> isClosed(closing));

    assertFalse(closer.result());
    assertEquals(LeaseState.LOST, permit.state());
    assertTrue(service().getSemaphore(name).tryAcquire().isPresent());
  }

  @Test
  void itEndsWhenTheLastLeaseIsClosed() throws InterruptedException {
    Lease lease = lock.acquire();
    Contender closer = closer(HOUR);

    CompletableFuture<Void> released = lease.releaseAsync();

    assertTrue(closer.result());
    Await.until("the release is complete", released::isDone);
    assertFalse(released.isCompletedExceptionally());
    assertFree();
  }

  @Test
  void anotherCloseEndsTheWait() {
    Contender holder = inside(lock);
    Contender closer = closer(HOUR);
    Contender second = closer(HOUR);

    closing.close();

    assertFalse(closer.result());
    assertFalse(second.result());
    holder.leave(() -> assertThrows(LockServiceClosedException.class, lock::unlock));
  }

  @Test
  @Rule("L5")
  void aTimeBelowZeroIsNone() {
    Contender holder = inside(lock);
    assertFalse(closer(Duration.ofSeconds(Long.MIN_VALUE)).result(), "it waits for nobody");
    holder.leave(() -> {});
  }

  @Test
  @Rule("L4")
  void anInterruptEndsTheWaitAndIsKept() {
    Contender holder = inside(lock);
    Contender closer = closer(HOUR);

    closer.interrupt();

    assertFalse(closer.result());
    assertTrue(closer.wasInterruptedAfter());
    assertTrue(isClosed(closing));
    holder.leave(() -> {});
  }

  @Test
  void itsOwnHoldsAndThoseOfTheDeadAreNotWaitedFor() {
    Contender dead = inside(closing.getLock(name + "-dead"));
    dead.leave(() -> {});
    lock.lock();

    assertTrue(closing.close(HOUR));
  }

  @Test
  void aServiceOfWhichNothingIsHeldIsClosedAtOnce() {
    lock.lock();
    lock.unlock();

    assertTrue(closing.close(HOUR));
    assertTrue(closing.close(HOUR), "the second close");
    assertTrue(service().close(Duration.ofSeconds(-1)));
  }

  @Test
  void membersOfAMultiLockAreReleasedWhileTheirServicesClose() {
    LockService other = service();
    LeasedLock both = MultiLock.of(lock, other.getLock(name + "-other"));
    Contender holder = inside(both);
    Contender closer = closer(HOUR);

    assertThrows(LockServiceClosedException.class, both::tryLock);
    holder.leave(both::unlock);

    assertTrue(closer.result());
    DistributedLock second = service().getLock(name + "-other");
    assertTrue(second.tryLock(), "the refused acquisition was released");
  }

  @Test
  void membersOfARedlockAreReleasedWhileTheirServiceCloses() {
    RedLock red = RedLock.of(lock);
    Contender holder = inside(red);
    Contender closer = closer(HOUR);

    holder.leave(red::unlock);

    assertTrue(closer.result());
    assertFree();
  }

  @Test
  void theAnswerOfAReleaseIsWaitedFor() throws InterruptedException {
    SpyBackend spy = new SpyBackend(backend());
    LockService slow = service(spy, builder -> builder);
    Lease lease = slow.getLock(name).acquire();
    spy.keepBack(call -> true);
    CompletableFuture<Void> released = lease.releaseAsync();
    Await.until("the release is on its way", () -> spy.keptBack() == 1);

    Contender closer = contender(() -> slow.close(HOUR));
    assertFalse(closer.isInside());
    spy.release();

    assertTrue(closer.result());
    Await.until("the release is complete", released::isDone);
    assertFalse(released.isCompletedExceptionally());
    assertFree();
  }
}
