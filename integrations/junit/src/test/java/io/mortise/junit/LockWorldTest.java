package io.mortise.junit;

import static io.mortise.junit.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a test can do with a world, and what the code under test then sees. */
@MortiseTest
class LockWorldTest {
  private static final Duration MORE_THAN_A_LEASE = Duration.ofSeconds(31);

  private static CompletableFuture<Boolean> lockAndUnlock(DistributedLock lock) {
    return CompletableFuture.supplyAsync(() -> {
      lock.lock();
      lock.unlock();
      return true;
    });
  }

  @Test
  void theLockOfACrashedProcessIsHeldUntilItsLeaseEnds(LockService locks, LockWorld world) {
    LockService other = world.anotherProcess();
    DistributedLock lock = locks.getLock("orders:42");
    other.getLock("orders:42").lock();
    assertThat(lock).isHeldBy(other).hasWaiters(0);

    world.crash(other);

    assertThat(lock).isHeld();
    assertFalse(lock.tryLock());
    world.advance(MORE_THAN_A_LEASE);
    assertThat(lock).isFree();
  }

  @Test
  void aLeaseOfACrashedProcessIsNotGivenBackEither(LockService locks, LockWorld world)
      throws InterruptedException {
    LockService other = world.anotherProcess();
    Lease lease = other.getLock("orders:42").acquire();
    world.crash(other);

    assertThat(locks.getLock("orders:42")).isHeldBy(other);
    assertFalse(lease.isValid());
  }

  @Test
  void aHoldIsRenewedWhileItsProcessLives(LockService locks, LockWorld world) {
    LockService other = world.anotherProcess();
    other.getLock("job").lock();

    world.advance(Duration.ofHours(1));

    assertThat(locks.getLock("job")).isHeldBy(other);
  }

  @Test
  void theWaiterGetsTheLockWhenTheCrashedHoldersLeaseEnds(LockService locks, LockWorld world)
      throws Exception {
    LockService other = world.anotherProcess();
    other.getLock("job").lock();
    CompletableFuture<Boolean> waiter = lockAndUnlock(locks.getLock("job"));
    world.awaitWaiting("job", 1);
    assertThat(locks.getLock("job")).hasWaiters(1);

    world.crash(other);
    world.advance(Duration.ofSeconds(20));
    assertFalse(waiter.isDone());
    world.advance(Duration.ofSeconds(15));

    assertTrue(waiter.get(10, TimeUnit.SECONDS));
  }

  @Test
  void aThreadThatWaitsInACrashedProcessIsToldThatItsServiceIsClosed(
      LockService locks, LockWorld world) {
    LockService other = world.anotherProcess();
    DistributedLock lock = locks.getLock("job");
    lock.lock();
    CompletableFuture<Boolean> waiter = lockAndUnlock(other.getLock("job"));
    world.awaitWaiting("job", 1);

    world.crash(other);

    ExecutionException e =
        assertThrows(ExecutionException.class, () -> waiter.get(10, TimeUnit.SECONDS));
    assertThat(e).hasCauseInstanceOf(LockServiceClosedException.class);
    lock.unlock();
  }

  @Test
  void whileTheStoreIsDownNothingIsAcquiredAndAHoldIsLostAtItsEnd(
      LockService locks, LockWorld world) {
    DistributedLock held = locks.getLock("held");
    held.lock();

    world.storeDown();

    assertThrows(BackendUnavailableException.class, () -> locks.getLock("other").tryLock());
    world.advance(Duration.ofSeconds(12));
    assertEquals(LeaseState.SUSPECT, held.leaseState());
    world.advance(Duration.ofSeconds(20));
    assertEquals(LeaseState.LOST, held.leaseState());
    world.storeUp();
    assertThrows(LeaseLostException.class, held::unlock);
    assertTrue(locks.getLock("other").tryLock());
    locks.getLock("other").unlock();
  }

  @Test
  void aHoldSurvivesAnOutageThatIsShorterThanItsLease(LockService locks, LockWorld world) {
    DistributedLock lock = locks.getLock("held");
    lock.lock();

    world.storeDown();
    world.advance(Duration.ofSeconds(20));
    world.storeUp();
    world.advance(Duration.ofMinutes(1));

    lock.ensureHeld();
    lock.unlock();
  }

  @Test
  void aLostReplyIsAnUnknownOutcomeAndNothingStaysHeld(LockService locks, LockWorld world) {
    DistributedLock lock = locks.getLock("job");

    world.loseReply();

    assertThrows(OutcomeUnknownException.class, () -> lock.tryLock());
    world.advance(Duration.ofSeconds(5));
    assertThat(lock).isFree();
  }

  @Test
  void onlyTheReplyToTheOwnServiceIsLost(LockService locks, LockWorld world) {
    world.loseReply();

    assertTrue(world.anotherProcess().getLock("job").tryLock());
    assertThrows(OutcomeUnknownException.class, () -> locks.getLock("other").tryLock());
  }

  @Test
  void everyKindOfHoldIsListedUnderItsName(LockWorld world) throws InterruptedException {
    LockService other = world.anotherProcess();
    other.getLock("plain").lock();
    other.getFencedLock("orders:{eu}:7").lock();
    DistributedReadWriteLock page = other.getReadWriteLock("page");
    page.readLock().lock();
    other.getReadWriteLock("draft").writeLock().lock();
    DistributedSemaphore printers = other.getSemaphore("printers");
    printers.trySetPermits(3);
    Lease permits = printers.acquire(2);

    assertThat(world.holds())
        .extracting(StoreHold::kind, StoreHold::name, StoreHold::clientId)
        .containsExactlyInAnyOrder(
            tuple("lock", "plain", other.clientId()),
            tuple("lock", "orders:{eu}:7", other.clientId()),
            tuple("read lock", "page", other.clientId()),
            tuple("write lock", "draft", other.clientId()),
            tuple("semaphore", "printers", other.clientId()));
    permits.close();
    world.crash(other);
    world.advance(MORE_THAN_A_LEASE);
    assertThat(world.holds()).isEmpty();
  }

  @Test
  void aReaderThatIsGoneIsNotListedAlthoughItsKeyIsThere(LockService locks, LockWorld world) {
    locks.getReadWriteLock("page").readLock().lock();
    LockService other = world.anotherProcess();
    other.getReadWriteLock("page").readLock().lock();

    world.crash(other);
    world.advance(MORE_THAN_A_LEASE);

    assertThat(world.holds()).extracting(StoreHold::clientId).containsExactly(locks.clientId());
    locks.getReadWriteLock("page").readLock().unlock();
  }

  @Test
  void waitersOfASemaphoreAndOfAReadWriteLockAreAwaitedByTheSameName(
      LockService locks, LockWorld world) throws Exception {
    LockService other = world.anotherProcess();
    DistributedSemaphore printers = locks.getSemaphore("printers");
    printers.trySetPermits(1);
    Lease permit = printers.acquire();
    locks.getReadWriteLock("page").writeLock().lock();

    CompletableFuture<Lease> pending = other.getSemaphore("printers").async(1).acquire();
    CompletableFuture<Boolean> reader = lockAndUnlock(other.getReadWriteLock("page").readLock());
    world.awaitWaiting("printers", 1);
    world.awaitWaiting("page", 1);

    permit.close();
    locks.getReadWriteLock("page").writeLock().unlock();
    pending.get(10, TimeUnit.SECONDS).close();
    assertTrue(reader.get(10, TimeUnit.SECONDS));
  }

  @Test
  void aTestSeesThatNothingIsLeftBehind(LockService locks, LockWorld world) {
    locks.getLock("job").lock();
    assertEquals(Set.of("mortise:lock:{job}"), world.keys());
    locks.getLock("job").unlock();
    assertEquals(Set.of(), world.keys());
  }

  @Test
  void aServiceWithOptionsOfItsOwnIsOnTheSameStore(LockService locks, LockWorld world) {
    try (LockService fast =
        LockService.builder()
            .backend(world.backend())
            .leaseTime(Duration.ofSeconds(1))
            .executor(Runnable::run)
            .open()) {
      fast.getLock("job").lock();
      assertThat(locks.getLock("job")).isHeldBy(fast);
      world.storeDown();
      world.advance(Duration.ofSeconds(2));
      assertEquals(LeaseState.LOST, fast.getLock("job").leaseState());
    }
  }

  @Test
  void aServiceOfAnotherWorldIsRefused(LockWorld world) {
    try (LockWorld elsewhere = LockWorld.withSystemTime(Duration.ofSeconds(30))) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> world.crash(elsewhere.service()));
      assertThat(e).hasMessageContaining("is not of this world");
    }
  }

  @Test
  void timeOfTheSystemIsNotMoved() {
    try (LockWorld world = LockWorld.withSystemTime(Duration.ofSeconds(30))) {
      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> world.advance(Duration.ofSeconds(1)));
      assertThat(e).hasMessageContaining("time = MOVABLE");
    }
  }

  @Test
  @HeldElsewhere({"reports", "invoices"})
  void locksThatAreHeldElsewhereStayHeld(LockService locks, LockWorld world) {
    assertFalse(locks.getLock("reports").tryLock());
    world.advance(Duration.ofHours(1));
    assertFalse(locks.getLock("invoices").tryLock());
    assertThat(world.holds()).extracting(StoreHold::clientId).doesNotContain(locks.clientId());
    assertTrue(locks.getLock("invoices").forceUnlock()); // the world closes all the same
  }

  @Test
  void assertionsSayWhatTheStoreHas(LockService locks, LockWorld world) {
    DistributedLock lock = locks.getLock("job");
    LockService other = world.anotherProcess();

    assertThat(assertThrows(AssertionError.class, () -> assertThat(lock).isHeld()))
        .hasMessage("expected lock 'job' to be held; it is free");
    assertThat(assertThrows(AssertionError.class, () -> assertThat(lock).isHeldBy(other)))
        .hasMessage("expected lock 'job' to be held by %s; it is free", other.clientId());
    lock.lock();
    assertThat(assertThrows(AssertionError.class, () -> assertThat(lock).isFree()))
        .hasMessageContaining("expected lock 'job' to be free; its holder is " + locks.clientId())
        .hasMessageContaining(Thread.currentThread().getName());
    assertThat(assertThrows(AssertionError.class, () -> assertThat(lock).isHeldBy(other)))
        .hasMessageContaining("its holder is " + locks.clientId());
    assertThat(assertThrows(AssertionError.class, () -> assertThat(lock).hasWaiters(2)))
        .hasMessage("expected lock 'job' to have 2 waiters; it has 0");
    lock.unlock();
  }

  @Test
  void aMessageShowsNamesOnOneLine(LockService locks, LockWorld world) throws Exception {
    DistributedLock lock = locks.getLock("order\n42");
    Thread thread = Thread.currentThread();
    String before = thread.getName();
    thread.setName("http\n42");
    try {
      lock.lock();
      String hold = world.holds().get(0).toString();
      String held = assertThrows(AssertionError.class, assertThat(lock)::isFree).getMessage();
      String elsewhere =
          assertThrows(IllegalStateException.class, () -> world.holdElsewhere("order\n42"))
              .getMessage();
      lock.unlock();

      assertEquals("lock 'order\\u000a42', acquired by thread 'http\\u000a42'", hold);
      assertThat(held)
          .contains("lock 'order\\u000a42' to be free", "thread 'http\\u000a42'")
          .doesNotContain("order\n", "http\n");
      assertEquals("'order\\u000a42' is already held", elsewhere);
    } finally {
      thread.setName(before);
    }
  }
}
