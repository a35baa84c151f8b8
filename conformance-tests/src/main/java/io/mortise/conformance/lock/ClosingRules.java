package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.Rule;
import io.mortise.spi.LockBackend;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a closed service does, and what it leaves. */
@Rule("L17")
abstract class ClosingRules extends LockRules {
  ClosingRules(LockKit kit) {
    super(kit);
  }

  @Test
  void aClosedServiceRejectsWork() {
    LockService service = service();
    DistributedLock lock = service.getLock(name);
    service.close();
    service.close();

    assertThrows(LockServiceClosedException.class, lock::lock);
    assertThrows(LockServiceClosedException.class, lock::lockInterruptibly);
    assertThrows(LockServiceClosedException.class, lock::tryLock);
    assertThrows(LockServiceClosedException.class, () -> lock.tryLock(1, TimeUnit.SECONDS));
    assertThrows(LockServiceClosedException.class, lock::isLocked);
    assertThrows(LockServiceClosedException.class, lock::forceUnlock);
    assertThrows(LockServiceClosedException.class, () -> service.getLock(name));
  }

  @Test
  void waitersOfAClosedServiceAreWokenAndLeaveTheQueue() {
    DistributedLock mine = lock();
    mine.lock();
    LockService closing = service();
    DistributedLock theirs = closing.getLock(name);
    List<Contender> waiters =
        List.of(
            contender(() -> theirs.tryLock(1, TimeUnit.HOURS)),
            contender(() -> {
              theirs.lock();
              return true;
            }),
            contender(() -> {
              theirs.lockInterruptibly();
              return true;
            }));

    closing.close();

    for (Contender waiter : waiters) {
      assertInstanceOf(LockServiceClosedException.class, waiter.failure());
    }
    mine.unlock();
    assertTrue(mine.tryLock(), "the lock was granted to none of them");
    mine.unlock();
  }

  @Test
  @Rule("L7")
  void whatAClosedServiceHeldEndsWithItsLease() {
    LockService closing = service(builder -> builder.leaseTime(SECOND));
    DistributedLock held = closing.getLock(name);
    DistributedLock theirs = lock();
    held.lock();
    closing.close();

    assertFalse(theirs.tryLock(), "it is not released");
    assertThrows(LockServiceClosedException.class, held::unlock);
    passTimeUntil("its lease ends", SECOND.multipliedBy(5), theirs::tryLock);

    theirs.unlock();
  }

  @Test
  void aBackendMadeByTheCallerStaysOpen() {
    LockBackend backend = backend();
    LockService.of(backend).close();

    try (LockService again = LockService.of(backend)) {
      DistributedLock lock = again.getLock(name);
      lock.lock();
      assertTrue(lock.isHeldByCurrentThread());
      lock.unlock();
    }
  }
}
