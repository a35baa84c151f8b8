package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockAttempt;
import io.mortise.LockListener;
import io.mortise.MultiLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An attempt that does not wait, while its own service gives the lock back: a hold that nobody uses
 * is no reason to refuse it.
 */
@Tag("L5")
class OwnReleaseTest extends GateFixture {
  private static final Duration TIME = Duration.ofMillis(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final DistributedLock fixed = Handles.of(engine, keys, LeaseTerms.fixed(LEASE));
  private final DistributedLock fair = Handles.of(engine, keys.as(LockKind.FAIR));
  private final DistributedLock fenced = Handles.of(engine, keys.as(LockKind.FENCED));
  private final DistributedReadWriteLock rw =
      Handles.readWrite(engine, LockKeys.readWrite("mortise:", "gate"));
  private final DistributedSemaphore semaphore =
      Handles.semaphore(engine, LockKeys.semaphore("mortise:", "gate"));

  OwnReleaseTest() {
    super(settings(ServiceOptions.NO_LIMIT, TIME), new Waits());
    engine.gates().useSeveralKinds();
  }

  /** Notes who is told to wait. */
  private static final class Waits implements LockListener {
    private final List<LockAttempt> told = new CopyOnWriteArrayList<>();

    @Override
    public void waiting(LockAttempt attempt) {
      told.add(attempt);
    }
  }

  /** A hold of the lock goes back, and the store has not answered. */
  private interface Leaving {
    AskedCommand begin();
  }

  /** An attempt that does not wait. */
  private record Attempt(LockKind gate, Callable<Boolean> way) {}

  private AskedCommand unlocks(DistributedLock by) {
    Future<Boolean> locking = a.runs(by::lock);
    store.next("acquire").heldAfterOthers();
    GateThread.get(locking);
    Future<Boolean> unused = a.runs(by::unlock);
    return store.next("leave");
  }

  private AskedCommand retainedGoesBack() {
    holds(a);
    unlock(a);
    time.advance(TIME);
    return store.next("leave");
  }

  private Lease leased() {
    CompletableFuture<Lease> request = lock.async().acquire();
    store.next("acquire").held();
    return request.join();
  }

  private AskedCommand leaseGoesBack() {
    CompletableFuture<Void> unused = leased().releaseAsync();
    return store.next("leave");
  }

  private AskedCommand leaseIsClosed() {
    Lease lease = leased();
    Future<Boolean> unused = a.runs(lease::close);
    return store.next("leave");
  }

  /** The waiter is granted the lock at the moment at which it gives up. */
  private AskedCommand waiterGivesUp() {
    Future<Boolean> unused = a.does(() -> fair.tryLock(Duration.ofSeconds(1)));
    store.next("acquire").queued();
    time.awaitParked(a.thread());
    time.advance(Duration.ofSeconds(1));
    return store.next("leave");
  }

  /** By the gate at which the hold was: attempts at the same gate wait there, before they ask. */
  private Map<Leaving, LockKind> waysOut() {
    Map<Leaving, LockKind> ways = new LinkedHashMap<>();
    ways.put(() -> unlocks(lock), LockKind.PLAIN);
    ways.put(() -> unlocks(fixed), LockKind.PLAIN);
    ways.put(this::retainedGoesBack, LockKind.PLAIN);
    ways.put(() -> unlocks(fenced), LockKind.FENCED);
    ways.put(() -> unlocks(fair), LockKind.FAIR);
    ways.put(this::waiterGivesUp, LockKind.FAIR);
    ways.put(this::leaseGoesBack, LockKind.FAIR);
    ways.put(this::leaseIsClosed, LockKind.FAIR);
    return ways;
  }

  private List<Attempt> waysIn() {
    MultiLock multi = MultiLock.of(lock);
    return List.of(
        new Attempt(LockKind.PLAIN, lock::tryLock),
        new Attempt(LockKind.PLAIN, () -> lock.tryLock(Duration.ZERO)),
        new Attempt(LockKind.PLAIN, fixed::tryLock),
        new Attempt(LockKind.PLAIN, multi::tryLock),
        new Attempt(LockKind.FENCED, fenced::tryLock),
        new Attempt(LockKind.FAIR, fair::tryLock),
        new Attempt(LockKind.LATCH, () -> lock.tryAcquire(Duration.ZERO).isPresent()),
        new Attempt(LockKind.LATCH, () -> multi.tryAcquire(Duration.ZERO).isPresent()),
        new Attempt(LockKind.LATCH, () -> lock.async().tryAcquire().join().isPresent()));
  }

  @Test
  void noWayInIsRefusedByAHoldOnItsWayOut() {
    int outs = waysOut().size();
    int ins = waysIn().size();
    for (int i = 0; i < outs * ins; i++) {
      OwnReleaseTest fresh = new OwnReleaseTest();
      try {
        fresh.succeeds(i / ins, i % ins);
      } catch (AssertionError e) {
        throw new AssertionError("way out " + i / ins + ", way in " + i % ins, e);
      } finally {
        fresh.endParties();
      }
    }
  }

  private void succeeds(int out, int in) {
    Leaving leaving = List.copyOf(waysOut().keySet()).get(out);
    LockKind gate = List.copyOf(waysOut().values()).get(out);
    Attempt attempt = waysIn().get(in);
    AskedCommand leave = leaving.begin();
    int before = waits().size();
    Future<Boolean> trying = b.does(attempt.way);
    if (attempt.gate != gate || gate == LockKind.FAIR) {
      store.next("acquire").busy();
    }
    StubTime.until("it waits", () -> b.thread().getState() == Thread.State.WAITING);
    assertFalse(trying.isDone(), "it has not waited for the answer");
    store.assertNothingAsked();

    leave.released();

    AskedCommand again = store.next("acquire");
    assertFalse(again.joins());
    again.held();
    assertTrue(GateThread.get(trying));
    assertEquals(before, waits().size());
    assertEquals(List.of(), engine.snapshot().waits());
  }

  private List<LockAttempt> waits() {
    return ((Waits) listeners.get(0)).told;
  }

  @Test
  void oneThatFindsItTakenAfterTheAnswerIsRefused() {
    AskedCommand leave = unlocks(fair);
    Future<Boolean> trying = b.does(fair::tryLock);
    String id = store.next("acquire").busy().id();
    time.awaitParked(b.thread());

    leave.released();

    assertEquals(id, store.next("acquire").busy().id());
    assertFalse(GateThread.get(trying));
    assertNull(engine.acquisitions().find(id));
    assertNull(engine.store().departures().of(keys));
  }

  @Test
  void anAttemptDoesNotOvertakeAThreadThatWaitsForTheAnswer() {
    AskedCommand leave = unlocks(lock);
    Future<Boolean> waiting = waits(b);

    assertFalse(c.says(lock::tryLock));

    leave.released();
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aThreadThatComesLaterWaitsBehindTheAttempt() {
    AskedCommand leave = unlocks(lock);
    Future<Boolean> trying = parked(b, b.does(lock::tryLock));
    Future<Boolean> waiting = waits(c);

    leave.released();
    store.next("acquire").busy();
    assertFalse(GateThread.get(trying));

    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
  }

  @Test
  @Tag("L14")
  void withoutAnAnswerItAsksAfterOneCommandTimeout() {
    for (Callable<Boolean> way : List.<Callable<Boolean>>of(fair::tryLock, this::leases)) {
      AskedCommand leave = unlocks(fair);
      Future<Boolean> trying = b.does(way);
      store.next("acquire").busy();
      time.awaitParked(b.thread());

      time.advance(TIMEOUT.plusMillis(100));

      store.next("acquire").busy();
      assertFalse(GateThread.get(trying));
      leave.released();
    }
  }

  private boolean leases() throws InterruptedException {
    return lock.tryAcquire(Duration.ZERO).isPresent();
  }

  @Test
  void atTheGateItWaitsForOneCommandTimeout() {
    AskedCommand leave = unlocks(lock);
    Future<Boolean> trying = parked(b, b.does(lock::tryLock));

    time.advance(TIMEOUT);

    assertFalse(GateThread.get(trying));
    leave.released();
  }

  @Test
  void readersAndWritersAreNotRefusedByEachOther() {
    List<DistributedLock> sides = List.of(rw.readLock(), rw.writeLock());
    for (DistributedLock out : sides) {
      for (DistributedLock in : sides) {
        Future<Boolean> locking = a.runs(out::lock);
        store.next("rw-acquire").held();
        GateThread.get(locking);
        Future<Boolean> unlocking = a.runs(out::unlock);
        AskedCommand leave = store.next("rw-leave");
        Future<Boolean> trying = b.does(in::tryLock);
        store.next("rw-acquire").busy();
        time.awaitParked(b.thread());

        leave.released();

        store.next("rw-acquire").held();
        assertTrue(GateThread.get(trying));
        assertTrue(GateThread.get(unlocking));
        unlocking = b.runs(in::unlock);
        store.next("rw-leave").released();
        assertTrue(GateThread.get(unlocking));
      }
    }
  }

  @Test
  void anUpgradeIsNotRefusedByAReaderThatLeaves() {
    DistributedLock alone = rw.readLock().withLease(LEASE); // so it shares with nobody
    for (GateThread each : List.of(a, b)) {
      Future<Boolean> locking = each.runs(alone::lock);
      store.next("rw-acquire").held();
      GateThread.get(locking);
    }
    Future<Boolean> unlocking = a.runs(alone::unlock);
    AskedCommand leave = store.next("rw-leave");
    Future<Boolean> trying = b.does(rw::tryUpgrade);
    store.next("rw-acquire").busy();
    time.awaitParked(b.thread());

    leave.released();

    store.next("rw-acquire").held();
    assertTrue(GateThread.get(trying));
    assertTrue(GateThread.get(unlocking));
  }

  @Test
  @Tag("S2")
  void permitsOnTheirWayBackAreNotTaken() {
    CompletableFuture<Lease> request = semaphore.async(3).acquire();
    store.next("sem-acquire").held();
    Lease lease = request.join();
    CompletableFuture<Void> part = lease.releaseAsync(1);
    AskedCommand back = store.next("sem-return");
    Future<Boolean> trying = b.does(() -> semaphore.tryAcquire().isPresent());
    store.next("sem-acquire").busy();
    back.partReturned();
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(trying));
    assertTrue(part.isDone());

    CompletableFuture<Void> all = lease.releaseAsync();
    AskedCommand leave = store.next("sem-leave");
    Future<Boolean> next = b.does(() -> semaphore.async(2).tryAcquire().join().isPresent());
    store.next("sem-acquire").busy();
    leave.released();
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(next));
    assertTrue(all.isDone());
  }
}
