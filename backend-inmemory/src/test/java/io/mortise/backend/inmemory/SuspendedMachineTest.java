package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The machine of the services is suspended: the monotonic clock stands still, the wall clock and
 * the leases in the store go on. No hold is believed that another process may have.
 */
@Rule({"L1", "L9"})
class SuspendedMachineTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration USED = Duration.ofSeconds(2);
  private static final Duration SLEEP = Duration.ofSeconds(33);

  /** The kinds of lock that a thread holds. */
  enum Kind {
    PLAIN,
    FAIR,
    FENCED,
    READ,
    WRITE,
    MULTI,
    RED;

    LeasedLock in(List<LockService> services) {
      LockService first = services.get(0);
      return switch (this) {
        case PLAIN -> first.getLock("x");
        case FAIR -> first.getFairLock("x");
        case FENCED -> first.getFencedLock("x");
        case READ -> first.getReadWriteLock("x").readLock();
        case WRITE -> first.getReadWriteLock("x").writeLock();
        case MULTI ->
            MultiLock.of(
                services.stream().map(each -> each.getLock("x")).toArray(LeasedLock[]::new));
        case RED ->
            RedLock.of(services.stream().map(each -> each.getLock("x")).toArray(LeasedLock[]::new));
      };
    }

    /** A lock that a holder of this kind keeps from others. */
    LeasedLock rival(List<LockService> services) {
      return this == READ ? WRITE.in(services) : in(services);
    }
  }

  /** A store that cannot be reached for a while. */
  private static final class Link extends ForwardingBackend {
    private final LockBackend backend;
    private volatile boolean down;

    Link(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    private static BackendException refusal() {
      return new BackendException(Outcome.NOT_EXECUTED, "the test cut the link", null);
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      if (down) {
        throw refusal();
      }
      return backend.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return down ? CompletableFuture.failedFuture(refusal()) : backend.executeAsync(call);
    }
  }

  private final List<InMemoryStore> stores =
      Stream.generate(InMemoryStore::withMovableTime).limit(3).toList();
  private final InMemoryStore store = stores.get(0);
  private final Link link = new Link(store.backend());
  private final List<LockService> mine =
      List.of(
          LockService.of(link),
          LockService.of(stores.get(1).backend()),
          LockService.of(stores.get(2).backend()));
  private final List<LockService> theirs =
      stores.stream().map(each -> LockService.of(each.backend())).toList();
  private final LockService service = mine.get(0);
  private final LockService other = theirs.get(0);

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    link.down = false;
    mine.forEach(LockService::close);
    theirs.forEach(LockService::close);
  }

  private void advance(Duration by) {
    stores.forEach(each -> each.advance(by));
  }

  private void suspend(Duration by) {
    stores.forEach(each -> each.suspend(by));
  }

  private void stepWallClock(Duration by) {
    stores.forEach(each -> each.stepWallClock(by));
  }

  private long scripts() {
    return store.scriptCounts().values().stream().mapToLong(Long::longValue).sum();
  }

  private static LeasedLock of(LeasedLock lock, boolean fixed) {
    return fixed ? lock.withLease(LEASE) : lock;
  }

  @ParameterizedTest
  @CsvSource({
    "PLAIN,false", "FAIR,false", "FENCED,false", "READ,false", "WRITE,false", "MULTI,false",
        "RED,false",
    "PLAIN,true", "FAIR,true", "FENCED,true", "READ,true", "WRITE,true", "MULTI,true", "RED,true"
  })
  void noHoldIsBelievedThatAnotherProcessHas(Kind kind, boolean fixed) {
    LeasedLock lock = of(kind.in(mine), fixed);
    lock.lock();
    advance(USED);
    lock.ensureHeld();

    suspend(SLEEP);

    LeasedLock rival = kind.rival(theirs);
    assertTrue(rival.tryLock());
    assertFalse(lock.isHeldByCurrentThread());
    assertFalse(lock.isHeldByThread(Thread.currentThread().getId()));
    assertEquals(0, lock.getHoldCount());
    assertNotEquals(LeaseState.HELD, lock.leaseState());
    assertThrows(LeaseLostException.class, lock::ensureHeld);
    assertEquals(LeaseState.LOST, lock.leaseState());
    assertFalse(lock.tryLock(), "it is not nested");
    assertThrows(LeaseLostException.class, lock::unlock);
    rival.unlock();
  }

  @ParameterizedTest
  @CsvSource({
    "PLAIN,false", "FENCED,false", "READ,false", "WRITE,false", "MULTI,false", "RED,false",
    "PLAIN,true", "FENCED,true", "READ,true", "WRITE,true", "MULTI,true", "RED,true"
  })
  void noLeaseIsValidThatAnotherProcessHas(Kind kind, boolean fixed) throws InterruptedException {
    Lease lease = of(kind.in(mine), fixed).acquire();
    advance(USED);
    assertTrue(lease.isValid());

    suspend(SLEEP);

    LeasedLock rival = kind.rival(theirs);
    assertTrue(rival.tryLock());
    assertFalse(lease.isValid());
    assertEquals(Duration.ZERO, lease.remaining());
    assertNotEquals(LeaseState.HELD, lease.state());
    advance(Duration.ofSeconds(2));
    assertEquals(LeaseState.LOST, lease.state());
    assertThrows(LeaseLostException.class, lease::close);
    rival.unlock();
  }

  @Test
  void noPermitIsValidThatAnotherProcessHas() throws InterruptedException {
    assertTrue(service.getSemaphore("x").trySetPermits(1));
    Lease lease = service.getSemaphore("x").acquire();
    advance(USED);
    suspend(SLEEP);

    Lease theirs = other.getSemaphore("x").tryAcquire().orElseThrow();
    assertFalse(lease.isValid());
    assertThrows(LeaseLostException.class, lease::close);
    assertTrue(theirs.isValid());
    theirs.close();
  }

  /** Also a step that is longer than the lease. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aClockThatIsSetLosesNothing(Kind kind) {
    for (Duration step : List.of(Duration.ofSeconds(2), Duration.ofHours(1))) {
      LeasedLock lock = kind.in(mine);
      lock.lock();
      advance(USED);
      lock.ensureHeld();

      stepWallClock(step);

      assertEquals(LeaseState.SUSPECT, lock.leaseState());
      assertEquals(step.compareTo(LEASE) < 0, lock.isHeldByCurrentThread());
      lock.lock(); // nested
      lock.unlock();
      lock.ensureHeld();
      advance(Duration.ofSeconds(2));
      assertEquals(LeaseState.HELD, lock.leaseState());
      assertTrue(lock.isHeldByCurrentThread());
      lock.unlock();
    }
  }

  /** It is only in doubt. So its thread unlocks as ever, and has no more of it than before. */
  @ParameterizedTest
  @EnumSource(Kind.class)
  void aClockThatIsSetBetweenTwoUnlocksLosesNothing(Kind kind) {
    LeasedLock lock = kind.in(mine);
    lock.lock();
    lock.lock();
    stepWallClock(Duration.ofHours(1));

    assertThrows(IllegalStateException.class, () -> lock.tryAcquire(Duration.ZERO));
    lock.unlock();
    lock.ensureHeld();
    lock.unlock();

    LeasedLock rival = kind.rival(theirs);
    assertTrue(rival.tryLock());
    rival.unlock();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aHoldThatWasAskedForInDoubtIsNotForgotten(Kind kind) {
    LeasedLock lock = kind.in(mine);
    lock.lock();
    stepWallClock(Duration.ofHours(1));
    assertFalse(lock.isHeldByCurrentThread());
    advance(Duration.ofSeconds(2));
    LeasedLock next = red("next");
    next.lock();
    next.unlock();

    lock.ensureHeld();
    lock.unlock();
    LeasedLock rival = kind.rival(theirs);
    assertTrue(rival.tryLock());
    rival.unlock();
  }

  private RedLock red(String name) {
    return RedLock.of(mine.stream().map(each -> each.getLock(name)).toArray(LeasedLock[]::new));
  }

  @Test
  void aClockThatIsSetCostsOneCommand() {
    DistributedLock lock = service.getLock("x");
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    lock.onLeaseChange(change -> told.add(change.state()));
    lock.lock();
    service.getLock("fixed").lock(30, TimeUnit.SECONDS);
    advance(USED);
    store.resetCounts();

    stepWallClock(Duration.ofSeconds(2));
    lock.ensureHeld();
    assertEquals(Map.of(), store.scriptCounts(), "two seconds of sleep end no lease");
    advance(Duration.ofSeconds(5));

    assertEquals(Map.of("renew", 2L), store.scriptCounts());
    while (told.size() < 2) {
      Thread.onSpinWait(); // listeners have a thread of their own
    }
    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD), List.copyOf(told));
    assertEquals(LeaseState.HELD, service.getLock("fixed").leaseState());
    service.getLock("fixed").unlock();
    lock.unlock();
  }

  @Test
  void aStepBackIsNothingAndHidesNoSleep() {
    DistributedLock lock = service.getLock("x");
    lock.lock(30, TimeUnit.SECONDS);
    advance(USED);
    long before = scripts();
    stepWallClock(Duration.ofHours(-1));
    lock.ensureHeld();
    advance(USED);
    assertEquals(LeaseState.HELD, lock.leaseState());
    assertEquals(before, scripts());

    suspend(SLEEP);

    assertTrue(other.getLock("x").tryLock());
    assertThrows(LeaseLostException.class, lock::ensureHeld);
    other.getLock("x").unlock();
  }

  /** Each is too short to be noticed alone. */
  @Test
  void shortSleepsAddUp() {
    DistributedLock lock = service.getLock("x");
    lock.lock(30, TimeUnit.SECONDS);
    for (int i = 0; i < 40; i++) {
      suspend(Duration.ofMillis(900));
      if (i < 30) {
        lock.ensureHeld();
      }
    }
    assertTrue(other.getLock("x").tryLock());
    assertFalse(lock.isHeldByCurrentThread());
    other.getLock("x").unlock();
  }

  /** A fixed lease survives a short sleep, and ends when the store ends it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAShortSleepAFixedLeaseEndsWithTheStores(boolean asked) {
    DistributedLock lock = service.getLock("x");
    lock.lock(30, TimeUnit.SECONDS);
    suspend(Duration.ofSeconds(20));
    if (asked) {
      advance(USED);
      assertEquals(LeaseState.HELD, lock.leaseState());
      advance(Duration.ofMillis(7_900));
    } else {
      advance(Duration.ofMillis(500));
      suspend(Duration.ofMillis(9_400));
    }
    assertFalse(other.getLock("x").tryLock());
    lock.ensureHeld();
    advance(Duration.ofMillis(101));

    assertTrue(other.getLock("x").tryLock());
    assertFalse(lock.isHeldByCurrentThread());
    assertThrows(LeaseLostException.class, lock::ensureHeld);
    other.getLock("x").unlock();
  }

  @Test
  void aReplyThatWasSleptOverIsTooLate() {
    AtomicBoolean sleeps = new AtomicBoolean(true);
    store
        .server()
        .beforeEachCommand(() -> {
          if (sleeps.getAndSet(false)) {
            store.suspend(SLEEP);
          }
        });
    CompletableFuture<Void> locking = CompletableFuture.runAsync(service.getLock("x")::lock);
    store.awaitParked(1); // it has got an answer of before the sleep

    assertTrue(other.getLock("x").tryLock());
    assertFalse(locking.isDone());
    other.getLock("x").unlock();
    advance(USED);
    locking.join();
    assertFalse(other.getLock("x").tryLock());
  }

  @Test
  void aRetainedLockIsNotTakenOverAfterASleep() {
    try (LockService retaining =
        LockService.builder().backend(store.backend()).retain(Duration.ofMillis(10)).open()) {
      retaining.getLock("x").lock();
      retaining.getLock("x").unlock();
      store.suspend(SLEEP);

      assertTrue(other.getLock("x").tryLock());
      assertFalse(retaining.getLock("x").tryLock());
      other.getLock("x").unlock();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void withoutAnAnswerALeaseEndsByTheWallClock(boolean fixed) throws InterruptedException {
    LeasedLock lock = of(service.getLock("x"), fixed);
    lock.lock();
    Lease lease = of(service.getLock("y"), fixed).acquire();
    advance(USED);
    link.down = true;

    suspend(Duration.ofSeconds(20));
    assertTrue(lock.isHeldByCurrentThread(), "8 s are left, if it slept");
    advance(Duration.ofSeconds(3));
    assertEquals(LeaseState.SUSPECT, lock.leaseState());
    lock.ensureHeld();
    assertTrue(lease.isValid());
    advance(Duration.ofSeconds(5));

    assertFalse(lock.isHeldByCurrentThread());
    assertFalse(lease.isValid());
    assertThrows(LeaseLostException.class, lock::ensureHeld);
    advance(Duration.ofSeconds(2));
    assertEquals(LeaseState.LOST, lock.leaseState());
    assertEquals(LeaseState.LOST, lease.state());
  }
}
