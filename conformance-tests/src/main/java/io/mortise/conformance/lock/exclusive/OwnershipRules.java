package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import org.junit.jupiter.api.Test;

/** Ownership: the holder of a lock, the count of its holds, and the right to release. */
public abstract class OwnershipRules extends LockRules {
  protected OwnershipRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L1")
  void aLockHeldByOneServiceIsNotHadByAnother() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();

    assertTrue(mine.tryLock());
    assertFalse(theirs.tryLock());
    assertTrue(theirs.isLocked());
    mine.unlock();

    assertTrue(theirs.tryLock());
    theirs.unlock();
    assertFalse(mine.isLocked());
  }

  @Test
  @Rule("L2")
  void aThreadEntersAThousandTimesAndLeavesWithTheLastUnlock() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();

    for (int depth = 1; depth <= 1000; depth++) {
      mine.lock();
      assertEquals(depth, mine.getHoldCount());
    }
    for (int depth = 1000; depth > 1; depth--) {
      mine.unlock();
    }
    assertFalse(theirs.tryLock(), "one hold of the nested holds is left");
    mine.unlock();

    assertTrue(theirs.tryLock());
    theirs.unlock();
  }

  @Test
  @Rule("L2")
  void twoHandlesOfOneNameAreTheSameLock() {
    LockService service = service();
    DistributedLock one = service.getLock(name);
    DistributedLock other = service.getLock(name);

    one.lock();
    assertTrue(other.tryLock());
    assertEquals(2, one.getHoldCount());
    other.unlock();
    one.unlock();

    assertFalse(one.isLocked());
  }

  @Test
  @Rule("L2")
  void aNameAndTheSameNameAsATagAreTheSameLock() {
    LockService service = service();
    DistributedLock plain = service.getLock(name);
    DistributedLock tagged = service.getLock("{" + name + "}");

    plain.lock();
    assertTrue(tagged.tryLock(), "both names share their keys, so they share their holds");
    tagged.unlock();
    plain.unlock();

    assertFalse(tagged.isLocked());
  }

  @Test
  @Rule("L3")
  void unlockingWhatOneDoesNotHoldNamesLockAndThreadAndAsksForTheTry() {
    DistributedLock lock = lock();

    IllegalMonitorStateException e = assertThrows(IllegalMonitorStateException.class, lock::unlock);

    assertFalse(e instanceof LeaseLostException);
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(name), message);
    assertTrue(message.contains(Thread.currentThread().getName()), message);
    assertTrue(message.contains("check whether tryLock() returned false"), message);
  }

  @Test
  @Rule("L3")
  void anotherThreadCannotUnlock() {
    DistributedLock lock = lock();
    lock.lock();

    Contender other =
        contender(() -> {
          lock.unlock();
          return true;
        });

    assertEquals(IllegalMonitorStateException.class, other.failure().getClass());
    assertTrue(lock.isHeldByCurrentThread());
    lock.unlock();
    assertThrows(IllegalMonitorStateException.class, lock::unlock, "the second unlock");
  }

  @Test
  @Rule("L2")
  void aThreadSeesItsOwnHoldAndNotThatOfOthers() {
    DistributedLock lock = lock();
    assertEquals(LeaseState.RELEASED, lock.leaseState());
    assertThrows(IllegalMonitorStateException.class, lock::ensureHeld);

    Contender holder =
        contender(() -> {
          lock.lock();
          return true;
        });

    assertTrue(holder.result());
    assertFalse(lock.isHeldByCurrentThread());
    assertEquals(0, lock.getHoldCount());
    assertEquals(LeaseState.RELEASED, lock.leaseState());
    assertTrue(lock.isHeldByThread(holder.thread().getId()));
    assertTrue(lock.toString().contains(holder.thread().getName()), lock.toString());
    holder.leave(() -> {
      lock.ensureHeld();
      assertEquals(LeaseState.HELD, lock.leaseState());
      lock.unlock();
    });
    assertFalse(lock.isHeldByThread(holder.thread().getId()));
  }

  @Test
  @Rule("L1")
  void differentNamesAreDifferentLocks() {
    LockService service = service();
    DistributedLock one = service.getLock(name + "-one");
    DistributedLock other = service.getLock(name + "-other{tag}");

    one.lock();
    Contender second = contender(other::tryLock);

    assertTrue(second.result());
    second.leave(other::unlock);
    one.unlock();
  }

  @Test
  @Rule("L3")
  void aLockForcedOpenIsFreeAndItsHolderGetsAReport() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();

    assertTrue(theirs.forceUnlock());
    assertFalse(theirs.forceUnlock(), "no thread holds the lock now");
    assertFalse(Await.value(theirs.forceUnlockAsync()));
    assertTrue(theirs.tryLock());
    assertTrue(Await.value(lock().forceUnlockAsync()));
    assertThrows(LeaseLostException.class, theirs::unlock);
    assertTrue(theirs.tryLock());

    assertThrows(LeaseLostException.class, mine::unlock);
    assertThrows(IllegalMonitorStateException.class, mine::unlock, "the second unlock");
    assertTrue(theirs.isHeldByCurrentThread());
    theirs.unlock();
  }

  @Test
  @Rule("L8")
  void theRemainingLeaseIsThatOfTheHolder() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    assertEquals(-2, theirs.remainTimeToLive());

    mine.lock();
    long left = theirs.remainTimeToLive();
    mine.unlock();

    assertTrue(left > 20_000 && left <= 30_000, "ms left of 30 s: " + left);
    assertEquals(-2, theirs.remainTimeToLive());
  }
}
