package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a thread is told that it lost a hold, and when that is forgotten, for every kind of lock. */
@Rule("L9")
public abstract class LostHoldRules extends LockRules {
  private final LockService service = service(ofOneServer(), builder -> builder);

  protected LostHoldRules(LockKit kit) {
    super(kit);
  }

  private LeasedLock lost(AnyLock kind, int levels) {
    LeasedLock lock = kind.of(service, name);
    for (int i = 0; i < levels; i++) {
      lock.lock();
    }
    for (String each : List.of(name, name + "-2", name + "-3")) {
      service.getLock(each).forceUnlock();
    }
    service.getReadWriteLock(name).readLock().forceUnlock();
    service.getReadWriteLock(name).writeLock().forceUnlock();
    Await.until("the hold is lost", () -> lock.leaseState() == LeaseState.LOST);
    return lock;
  }

  private static void assertNotHeld(LeasedLock lock) {
    IllegalMonitorStateException e = assertThrows(IllegalMonitorStateException.class, lock::unlock);
    assertFalse(e instanceof LeaseLostException, () -> "it is told of no loss: " + e);
    assertEquals(LeaseState.RELEASED, lock.leaseState());
  }

  @ParameterizedTest
  @EnumSource(AnyLock.class)
  void anUnlockEndsTheLivingHoldFirstAndTheNextOneTellsTheLoss(AnyLock kind) {
    LeasedLock lock = lost(kind, 1);
    lock.lock(); // it does not know of the loss, so this is a new hold
    assertTrue(lock.isHeldByCurrentThread());
    assertEquals(1, lock.getHoldCount());

    lock.unlock();

    assertEquals(LeaseState.LOST, lock.leaseState());
    assertThrows(LeaseLostException.class, lock::unlock);
    assertNotHeld(lock);
  }

  @ParameterizedTest
  @EnumSource(AnyLock.class)
  void everyLevelOfALostHoldIsToldOnce(AnyLock kind) {
    LeasedLock lock = lost(kind, 2);

    assertThrows(LeaseLostException.class, lock::ensureHeld, "a look counts for no level");
    assertThrows(LeaseLostException.class, lock::unlock, "the inner level");
    lock.lock();
    lock.unlock();
    assertThrows(LeaseLostException.class, lock::unlock, "the outer level");

    assertNotHeld(lock);
  }

  @ParameterizedTest
  @EnumSource(AnyLock.class)
  void aThreadThatAskedIsStillToldByItsUnlock(AnyLock kind) {
    LeasedLock lock = lost(kind, 1);

    assertFalse(lock.isHeldByCurrentThread());
    assertEquals(LeaseState.LOST, lock.leaseState());
    assertThrows(LeaseLostException.class, lock::unlock);

    assertNotHeld(lock);
  }

  /** As code does that says {@code if (lock.isHeldByCurrentThread()) lock.unlock()}. */
  @ParameterizedTest
  @EnumSource(AnyLock.class)
  void aThreadThatAskedAndAcquiresItsNextLockIsToldNoMore(AnyLock kind) {
    LeasedLock lock = lost(kind, 1);
    assertFalse(lock.isHeldByCurrentThread());

    LeasedLock next = kind.of(service, name + "-next");
    next.lock();
    assertEquals(LeaseState.RELEASED, lock.leaseState());
    next.unlock();
    lock.lock();
    lock.unlock();

    assertNotHeld(lock);
    assertNotHeld(next);
  }
}
