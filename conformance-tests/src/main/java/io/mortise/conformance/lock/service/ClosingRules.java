package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a closed service does, and what it leaves behind. */
@Rule("L17")
public abstract class ClosingRules extends LockRules {
  private static final int ROUNDS = 50;

  /** The ways to close a service. */
  enum Close {
    AT_ONCE,
    WITH_PATIENCE;

    void close(LockService service) {
      if (this == AT_ONCE) {
        service.close();
      } else {
        boolean unused = service.close(Duration.ofHours(1));
      }
    }
  }

  protected ClosingRules(LockKit kit) {
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
    assertTrue(mine.tryLock(), "no waiter got the lock");
    mine.unlock();
  }

  /** The pending leave command arrives before the backend of the service is closed. */
  private void assertHasLeft(LockService closing, Close close, HeldCall leaving) {
    leaving.awaitSent();

    Contender closer =
        contender(() -> {
          close.close(closing);
          return true;
        });
    leaving.pass();

    assertTrue(closer.result());
    assertTrue(isQueued(0));
  }

  private LockService owning(FaultyBackend link) {
    LockService owner = LockService.builder().backend(link).open();
    closeLater(owner);
    return owner;
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L11", "L17"})
  void aThreadThatHasGivenUpIsOutOfTheQueueBeforeTheBackendIsClosed(Close close) {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService closing = owning(link);
    DistributedLock wanted = closing.getLock(name);
    lock().lock();
    Contender quitter =
        contender(() -> {
          wanted.lockInterruptibly();
          return true;
        });
    awaitQueued(1);
    HeldCall leaving = link.hold("leave");

    quitter.interrupt();

    assertHasLeft(closing, close, leaving);
    assertInstanceOf(InterruptedException.class, quitter.failure());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L11", "L17"})
  void aFutureThatWasCancelledIsOutOfTheQueueBeforeTheBackendIsClosed(Close close) {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService closing = owning(link);
    lock().lock();
    CompletableFuture<Lease> pending = closing.getLock(name).async().acquire();
    awaitQueued(1);
    HeldCall leaving = link.hold("leave");

    assertTrue(pending.cancel(false));

    assertHasLeft(closing, close, leaving);
  }

  @Test
  @Rule({"L15", "L17"})
  void aLeaseIsGivenBackWhetherItOrItsServiceIsClosedFirst() throws Exception {
    DistributedLock other = lock();
    for (int round = 0; round < ROUNDS; round++) {
      LockService closing = LockService.of(backend());
      Lease lease = closing.getLock(name).acquire();
      CyclicBarrier start = new CyclicBarrier(2);
      Crew closer =
          Crew.start(
              ThreadKind.PLATFORM,
              1,
              any -> {
                start.await();
                try {
                  lease.close();
                } catch (LeaseLostException e) {
                  // another thread closed its service first
                }
              });
      start.await(60, TimeUnit.SECONDS);

      closing.close();

      assertTrue(other.tryLock(), "round " + round + ": the lock is free");
      closer.join(Await.patience());
      other.unlock();
    }
  }

  @Test
  @Rule("L7")
  void whatAClosedServiceHeldEndsWithItsLease() {
    LockService closing = service(builder -> builder.leaseTime(SECOND));
    DistributedLock held = closing.getLock(name);
    DistributedLock theirs = lock();
    held.lock();
    closing.close();

    assertFalse(theirs.tryLock(), "the lock is not released");
    assertThrows(LockServiceClosedException.class, held::unlock);
    passTimeUntil("the lease ends", SECOND.multipliedBy(5), theirs::tryLock);

    theirs.unlock();
  }

  @Test
  @Rule("L15")
  void aServiceClosesTheBackendItWasGiven() {
    LockBackend first = backend();
    LockService.of(first).close();
    assertClosed(first);

    LockBackend second = backend();
    LockService.builder().backend(second).leaseTime(SECOND).open().close();
    assertClosed(second);
  }

  @Test
  @Rule("L15")
  void aServiceThatCannotBeOpenedClosesTheBackendItWasGiven() {
    LockBackend backend = backend();
    LockService.Builder wrong =
        LockService.builder().backend(backend).leaseTime(SECOND).commandTimeout(SECOND);

    assertThrows(IllegalArgumentException.class, wrong::open);
    assertClosed(backend);
  }

  private static void assertClosed(LockBackend backend) {
    ScriptCall call = new ScriptCall(Script.of("test", "return {1}"), List.of(), List.of(), SECOND);
    BackendException e = assertThrows(BackendException.class, () -> backend.execute(call));
    assertEquals(BackendException.Outcome.NOT_EXECUTED, e.outcome());
  }

  @Test
  void aSharedBackendStaysOpen() {
    LockBackend backend = backend();
    LockService.builder().sharedBackend(backend).open().close();

    try (LockService again = LockService.of(backend)) {
      DistributedLock lock = again.getLock(name);
      lock.lock();
      assertTrue(lock.isHeldByCurrentThread());
      lock.unlock();
    }
  }

  @Test
  @Rule({"L9", "L15"})
  void closingReleasesLeasesThatAreBoundToNoThread() throws InterruptedException {
    LockService closing = service();
    Lease lease = closing.getLock(name).acquire();
    DistributedSemaphore permits = closing.getSemaphore(name);
    assertTrue(permits.trySetPermits(1));
    Lease permit = permits.acquire();
    List<String> told = new CopyOnWriteArrayList<>();
    lease.onLost(event -> told.add(event.reason()));

    closing.close();

    assertTrue(lock().tryLock(), "the lock is free at once");
    assertTrue(service().getSemaphore(name).tryAcquire().isPresent(), "the permit is free at once");
    assertEquals(LeaseState.LOST, lease.state());
    assertFalse(permit.isValid());
    Await.until("the loss is reported to the holder", () -> !told.isEmpty());
    LeaseLostException e = assertThrows(LeaseLostException.class, lease::close);
    assertTrue(String.valueOf(e.getMessage()).contains("was closed"), e.getMessage());
  }
}
