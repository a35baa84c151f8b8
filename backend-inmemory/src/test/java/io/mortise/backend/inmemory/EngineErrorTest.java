package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An Error in the middle of a step costs what it met, and no other thread its turn. */
class EngineErrorTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Executor THREADS = task -> new Thread(task).start();

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final FaultyBackend backend = new FaultyBackend(store.backend());
  private final LockService service =
      LockService.builder().backend(backend).leaseTime(LEASE).open();
  private final LockService other = LockService.of(store.backend());

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    service.close();
    other.close();
  }

  private static CompletableFuture<Void> inThread(Runnable task) {
    return CompletableFuture.runAsync(task, THREADS);
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  private void othersGet(DistributedLock lock) {
    Await.value(inThread(() -> pair(lock)));
    assertTrue(other.getLock(lock.name()).tryLock());
    other.getLock(lock.name()).unlock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed", "fenced", "fair"})
  @Rule({"L10", "L15"})
  void aRetainedHoldGoesBackThoughItsFirstCommandThrows(String kind) {
    try (LockService retaining =
        LockService.builder().backend(backend).retain(Duration.ofSeconds(10)).open()) {
      DistributedLock plain = retaining.getLock("x");
      DistributedLock next =
          switch (kind) {
            case "fixed" -> plain.withLease(LEASE);
            case "fenced" -> retaining.getFencedLock("x");
            default -> retaining.getFairLock("x");
          };
      pair(plain);
      backend.failsAt("leave");

      pair(next);
      othersGet(next);
    }
  }

  @Test
  @Rule("L10")
  void aThreadThatLeavesWithAnErrorIsNoWaiter() {
    DistributedLock lock = service.getLock("x");
    lock.lock();
    backend.failsAt(FaultyBackend.PARK);
    assertThrows(CompletionException.class, inThread(lock::lock)::join);
    CompletableFuture<Void> next = inThread(() -> pair(lock));
    store.awaitParked(1);

    lock.unlock();

    Await.value(next);
    othersGet(lock);
  }

  @Test
  @Rule("L10")
  void aHoldIsNotHandedOffWithoutATimer() {
    DistributedLock lock = service.getLock("x");
    lock.lock();
    CompletableFuture<Void> next = inThread(() -> pair(lock));
    store.awaitParked(1);
    backend.failsAt(FaultyBackend.TIMER);

    lock.unlock();

    Await.value(next);
    othersGet(lock);
  }

  private static boolean throwsError(Runnable locking) {
    try {
      locking.run();
      return false;
    } catch (Error e) {
      return true;
    }
  }

  @Test
  @Rule("L8")
  void aLockIsNotHeldIfItCannotBeRenewed() {
    DistributedLock lock = service.getLock("x");
    backend.failsAt(FaultyBackend.TIMER);

    assertEquals(throwsError(lock::lock), !lock.isHeldByCurrentThread());
    othersGet(service.getLock("x"));
  }

  @Test
  @Rule("L8")
  void aLockOfAFixedLeaseIsNotHeldIfItThrows() {
    service.getLock("first").lock();
    DistributedLock lock = service.getLock("x");
    backend.failsAt(FaultyBackend.TIMER);

    boolean thrown = throwsError(() -> lock.lock(1, TimeUnit.SECONDS));

    assertEquals(thrown, !lock.isHeldByCurrentThread());
    store.advance(Duration.ofSeconds(1));
    othersGet(lock);
  }

  @Test
  @Rule("L8")
  void laterHoldsAreRenewedAfterATimerThatFailed() {
    backend.failsAt(FaultyBackend.TIMER);
    boolean unused = throwsError(() -> pair(service.getLock("x")));
    service.getLock("y").lock();
    store.resetCounts();

    store.advance(LEASE.multipliedBy(2));

    assertFalse(other.getLock("y").tryLock());
    assertEquals(Map.of("renew", 6L, "acquire", 1L), store.scriptCounts());
    service.getLock("y").unlock();
  }

  /** At one beat, the lease of the fixed one needs a timer, and the others need a renewal. */
  @Test
  @Rule("L8")
  void anErrorOfALookAtOneHoldEndsNoRenewal() {
    List<DistributedLock> renewed =
        IntStream.range(0, 10).mapToObj(i -> service.getLock("x" + i)).toList();
    renewed.forEach(DistributedLock::lock);
    service.getLock("fixed").lock(11_500, TimeUnit.MILLISECONDS);
    store.advance(Duration.ofMillis(9_500));
    backend.failsAt(FaultyBackend.TIMER);

    store.advance(LEASE.multipliedBy(2));

    renewed.forEach(DistributedLock::ensureHeld);
    renewed.forEach(DistributedLock::unlock);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Rule("L8")
  void anErrorOfOneBatchOfRenewalsEndsNone(int holds) {
    for (int i = 0; i < holds; i++) {
      service.getLock("x" + i).lock();
    }
    backend.failsAt(FaultyBackend.RENEWALS);

    store.advance(LEASE.multipliedBy(3));

    for (int i = 0; i < holds; i++) {
      service.getLock("x" + i).ensureHeld();
      assertFalse(other.getLock("x" + i).tryLock());
      service.getLock("x" + i).unlock();
    }
  }

  /** Another reader comes while the first one asks, and is let in by it. */
  @ParameterizedTest
  @ValueSource(strings = {FaultyBackend.TIMER, FaultyBackend.UNPARK})
  @Rule({"RW1", "L1"})
  void noReaderIsInsideWithAHoldThatWentBack(String step) {
    service.getLock("first").lock(); // from here on the timer of renewals runs
    DistributedLock read = service.getReadWriteLock("rw").readLock();
    DistributedLock write = other.getReadWriteLock("rw").writeLock();
    CompletableFuture<@Nullable Throwable> second = new CompletableFuture<>();
    backend.before(
        "rw-acquire",
        () -> {
          inThread(() -> pair(read)).whenComplete((done, failure) -> second.complete(failure));
          store.awaitParked(1);
          backend.failsAt(step);
        });

    boolean thrown = throwsError(read::lock);

    assertEquals(thrown, !read.isHeldByCurrentThread());
    assertNull(Await.value(second));
    if (!thrown) {
      assertFalse(write.tryLock());
      read.unlock();
    }
    assertTrue(write.tryLock());
    assertFalse(read.tryLock());
    write.unlock();
    pair(read);
  }

  /** A lease of a waiting thread takes what another gives back, without a command. */
  @Test
  @Rule({"L10", "L23"})
  void aRequestAsksTheStoreIfNoTimerEndsItsWaitInTheService() throws Exception {
    DistributedLock lock = service.getLock("x");
    Lease first = lock.acquire();
    CompletableFuture<Void> queued = inThread(() -> acquireAndClose(lock));
    store.awaitParked(1);
    backend.failsAt(FaultyBackend.TIMER);
    CompletableFuture<Void> next = inThread(() -> acquireAndClose(lock));
    store.awaitParked(2);

    first.close();

    Await.value(queued);
    Await.value(next);
    othersGet(lock);
  }

  private static void acquireAndClose(DistributedLock lock) {
    try {
      lock.acquire().close();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Rule("L10")
  void aLeaseThatIsClosedGoesBackAlsoAfterAnError() throws InterruptedException {
    Lease lease = service.getLock("x").acquire();
    backend.failsAt("leave");

    assertThrows(LinkageError.class, lease::close);

    othersGet(service.getLock("x"));
  }

  @Test
  @Rule("L10")
  void permitsThatAreGivenBackGoBackAlsoAfterAnError() throws InterruptedException {
    DistributedSemaphore semaphore = service.getSemaphore("s");
    assertTrue(semaphore.trySetPermits(2));
    Lease lease = semaphore.acquire(2);
    backend.failsAt("sem-return");

    assertThrows(LinkageError.class, () -> lease.release(1));

    other.getSemaphore("s").tryAcquire().orElseThrow().close();
    lease.close();
  }

  /** The waiter does not listen to the channel of Redisson any more. */
  @Test
  @Rule("L10")
  void aHoldDoesNotDependOnTheEndOfASubscription() {
    try (LockService sharing =
        LockService.builder().backend(backend).redissonInterop(true).open()) {
      DistributedLock lock = sharing.getLock("x");
      try (LockService holding =
          LockService.builder().backend(store.backend()).redissonInterop(true).open()) {
        holding.getLock("x").lock();
        CompletableFuture<Void> next = inThread(() -> pair(lock));
        store.awaitParked(1);
        backend.failsAt(FaultyBackend.UNSUBSCRIBE);
        holding.getLock("x").unlock();
        Await.value(next);
        pair(holding.getLock("x"));
      }
    }
  }

  /** The release, the wait and the lock after it may throw. */
  @ParameterizedTest
  @CsvSource({
    "leave,false",
    "park,false",
    "acquire,false",
    "leave,true",
    "park,true",
    "acquire,true",
    "condition,true"
  })
  @Rule({"C2", "C4"})
  void aWaiterThatLeavesWithAnErrorTakesNoSignal(String step, boolean shared) throws Exception {
    DistributedLock lock = service.getLock("x");
    Condition condition = shared ? lock.newCondition("c") : lock.newCondition();
    AtomicReference<Thread> leaving = new AtomicReference<>();
    CompletableFuture<Void> first =
        inThread(() -> {
          leaving.set(Thread.currentThread());
          lock.lock();
          backend.failsAt(step);
          await(condition, Duration.ofMillis(10));
        });
    if (step.equals("acquire")) {
      store.awaitParked(1);
      store.advance(Duration.ofMillis(10));
    }
    assertInstanceOf(LinkageError.class, Await.failure(first));
    leaving.get().join(); // it may hold the lock, which is renewed while it is alive
    store.advance(LEASE.plusSeconds(1));
    CompletableFuture<Boolean> second =
        CompletableFuture.supplyAsync(
            () -> {
              lock.lock();
              boolean signalled = await(condition, Duration.ofDays(1));
              lock.unlock();
              return signalled;
            },
            THREADS);
    store.awaitParked(1);

    lock.lock();
    condition.signal();
    lock.unlock();

    assertTrue(Await.value(second));
  }

  private static boolean await(Condition condition, Duration longest) {
    try {
      return condition.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {FaultyBackend.UNSUBSCRIBE, "async leave"})
  @Rule("L23")
  void aServiceThatMeetsAnErrorIsClosed(String step) throws InterruptedException {
    Lease lease = service.getLock("x").acquire();
    backend.failsAt(step);

    service.close();

    assertTrue(backend.isClosed());
    assertEquals(LeaseState.LOST, lease.state());
  }

  @Test
  @Rule("L23")
  void aServiceThatCannotBeOpenedForAnErrorIsClosed() {
    FaultyBackend broken = new FaultyBackend(store.backend());
    broken.failsAt(FaultyBackend.SUBSCRIBE);
    assertThrows(LinkageError.class, () -> LockService.of(broken));
    assertTrue(broken.isClosed());
  }

  @Test
  @Rule("E7")
  void aCandidateStandsAgainThoughNoTimerCouldBeSet() {
    Candidate candidate = Candidate.joined(service);
    Await.until("it leads", candidate::leads);
    backend.failsAt(FaultyBackend.TIMER);
    Await.value(candidate.election().stepDown(LEASE));

    store.awaitParked(1); // it tries again to set the timer
    store.advance(Duration.ofSeconds(1));
    store.advance(LEASE);

    Await.until("it leads again", candidate::leads);
  }

  @Test
  @Rule("L23")
  void stepsRunAlsoAfterOneThatThrows() {
    CompletableFuture<String> last = new CompletableFuture<>();
    Trampoline.all(
            () -> {
              throw new LinkageError("on purpose");
            },
            () -> last.complete("done"))
        .run();
    assertEquals("done", last.getNow("not reached"));
  }

  @Test
  @Rule("L23")
  void anErrorInTheHandlerOfAReplyIsLogged() {
    try (LogCapture log = LogCapture.start()) {
      Futures.whenReplied(
          CompletableFuture.completedFuture(List.of()),
          (reply, failure) -> {
            throw new LinkageError("on purpose");
          });
      assertEquals(1, log.lines("a reply could not be handled").size(), log::text);
    }
  }
}
