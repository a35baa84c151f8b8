package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.HoldInfo;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.MultiLock;
import io.mortise.Registration;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.told.NotedEvents;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads of one service share what one of them got from the store to read. */
@Tag("L1")
@Tag("L12")
class ReadGateTest extends GateFixture {
  private static final Duration TIME = ServiceOptions.HAND_OFF_TIME;
  private static final Duration NANO = Duration.ofNanos(1);

  private final DistributedReadWriteLock rw =
      Handles.readWrite(engine, LockKeys.readWrite("mortise:", "gate"));
  private final DistributedLock read = rw.readLock();
  private final DistributedLock write = rw.writeLock();
  private final GateThread d = party("D");

  ReadGateTest() {
    super(new NotedEvents());
  }

  @AfterEach
  void nothingIsLeftThatNobodyHolds() {
    if (engine.acquisitions().all().isEmpty()) {
      assertEquals(List.of(), List.copyOf(engine.gates().ofReaders()));
      assertEquals(List.of(), List.copyOf(engine.gates().all()));
    }
  }

  private List<List<String>> rows() {
    return ((NotedEvents) listeners.get(0)).rows();
  }

  private Acquisition reads(GateThread party) {
    return reads(party, read);
  }

  /** The thread gets the lock from the store. */
  private Acquisition reads(GateThread party, DistributedLock by) {
    Future<Boolean> locking = party.runs(by::lock);
    AskedCommand acquire = store.next("rw-acquire").held();
    GateThread.get(locking);
    return acquisition(acquire.id());
  }

  /** The thread gets the lock without a command. */
  private void joins(GateThread party) {
    GateThread.get(party.runs(read::lock));
    store.assertNothingAsked();
  }

  /** The thread does not join, and asks the store. */
  private Acquisition asksAlone(GateThread party, Acquisition other) {
    Acquisition own = reads(party);
    assertNotEquals(other.id(), own.id());
    return own;
  }

  /** The thread comes while the command of another is out, and waits for its answer. */
  private Future<Boolean> lines(GateThread party) {
    Future<Boolean> locking = parked(party, party.runs(read::lock));
    store.assertNothingAsked();
    return locking;
  }

  /** The thread has asked, and is in the store's queue. */
  private Queued queues(GateThread party, DistributedLock side) {
    Future<Boolean> locking = party.runs(side::lock);
    AskedCommand asked = store.next("rw-acquire").queued();
    time.awaitParked(party.thread());
    return new Queued(asked.id(), locking);
  }

  private record Queued(String id, Future<Boolean> locking) {}

  /** A waiter in the store's queue is granted the lock, and confirms it. */
  private Acquisition granted(Queued queued) {
    acquisition(queued.id).signal();
    assertEquals(queued.id, store.next("rw-acquire").held().id());
    assertTrue(GateThread.get(queued.locking));
    return acquisition(queued.id);
  }

  private void leaves(GateThread party) {
    GateThread.get(party.runs(read::unlock));
    store.assertNothingAsked();
  }

  /** The thread unlocks, and what it held goes back to the store. */
  private void givesBack(GateThread party, Acquisition held) {
    Future<Boolean> unlocking = party.runs(read::unlock);
    assertEquals(held.id(), store.next("rw-leave").released().id());
    assertTrue(GateThread.get(unlocking));
  }

  private void gives(GateThread party, DistributedLock by) {
    Future<Boolean> unlocking = party.runs(by::unlock);
    store.next("rw-leave").released();
    assertTrue(GateThread.get(unlocking));
  }

  private void assertLost(GateThread party) {
    assertEquals(LeaseState.LOST, party.now(read::leaseState));
    GateThread.failure(LeaseLostException.class, party.runs(read::unlock));
    assertEquals(LeaseState.RELEASED, party.now(read::leaseState));
  }

  // Joining

  @Test
  @Tag("L19")
  void aThreadThatComesSoonSharesAndTheLastGivesBack() {
    Acquisition held = reads(a);
    joins(b);
    joins(c);
    assertTrue(a.says(read::isHeldByCurrentThread));
    assertTrue(b.says(read::isHeldByCurrentThread));
    assertFalse(d.says(read::isHeldByCurrentThread));
    assertTrue(read.isHeldByThread(c.thread().getId()));

    leaves(a);
    leaves(c);
    joins(a);
    leaves(b);
    assertFalse(b.says(read::isHeldByCurrentThread));
    IllegalMonitorStateException e =
        GateThread.failure(IllegalMonitorStateException.class, b.runs(read::unlock));
    assertFalse(e instanceof LeaseLostException, e::toString);
    givesBack(a, held);

    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
    asksAlone(b, held);
  }

  @Test
  @Tag("L2")
  void eachThreadCountsItsOwnHolds() {
    Acquisition held = reads(a);
    joins(b);
    joins(b);
    joins(a);
    assertEquals(2, a.now(read::getHoldCount));
    assertEquals(2, b.now(read::getHoldCount));
    leaves(a);
    leaves(a);
    leaves(b);
    assertEquals(0, a.now(read::getHoldCount));
    assertEquals(1, b.now(read::getHoldCount));
    givesBack(b, held);
  }

  @Test
  void threadsJoinForTenMillisecondsAndThenAsk() {
    Acquisition first = reads(a);
    time.advance(TIME.minus(NANO));
    joins(b);
    time.advance(NANO);

    Acquisition second = asksAlone(c, first);

    joins(d);
    leaves(a);
    givesBack(b, first);
    leaves(d);
    givesBack(c, second);
  }

  @Test
  void joiningDoesNotMoveTheEnd() {
    Acquisition held = reads(a);
    GateThread last = a;
    for (int i = 1; i < TIME.toMillis(); i++) {
      time.advance(Duration.ofMillis(1));
      GateThread next = i % 2 == 0 ? a : b;
      joins(next);
      leaves(last);
      last = next;
    }
    time.advance(Duration.ofMillis(1));
    asksAlone(c, held);
    givesBack(last, held);
  }

  @Test
  @Tag("L8")
  void nobodyJoinsAHoldThatIsSuspectOrHalfOver() {
    Future<Boolean> locking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    time.pause(LEASE.dividedBy(2));
    acquire.held();
    GateThread.get(locking);
    asksAlone(b, acquisition(acquire.id()));
    time.pause(LEASE);
    for (GateThread each : List.of(a, b)) {
      Future<Boolean> unlocking = each.runs(read::unlock);
      store.next("rw-leave").absent();
      GateThread.failure(LeaseLostException.class, unlocking);
    }
    Acquisition held = reads(c);
    assertTrue(held.lease().suspect("a test says so"));
    asksAlone(d, held);
  }

  @Test
  void requestsWithTermsOfTheirOwnDoNotShare() {
    Acquisition held = reads(a);
    List<DistributedLock> others =
        List.of(read.withLease(LEASE), read.withMaxHold(LONG), read.withLease(LONG));
    for (DistributedLock other : others) {
      Acquisition own = reads(b, other);
      assertNotEquals(held.id(), own.id());
      givesBack(b, own);
    }
    givesBack(a, held);
    Acquisition fixed = reads(a, read.withLease(LEASE));
    asksAlone(b, fixed);
  }

  @Test
  void aLeaseDoesNotShare() {
    Acquisition held = reads(a);
    CompletableFuture<Lease> request = read.async().acquire();
    assertNotEquals(held.id(), store.next("rw-acquire").held().id());
    assertTrue(request.join().isValid());
  }

  @Test
  void aMemberOfAMultiLockDoesNotShare() {
    MultiLock members = MultiLock.of(read, lock);
    Acquisition held = reads(a);
    Future<Boolean> locking = b.does(() -> members.tryLock());
    store.next("acquire").held();
    AskedCommand own = store.next("rw-acquire").held();
    assertTrue(GateThread.get(locking));
    assertNotEquals(held.id(), own.id());
    givesBack(a, held);

    asksAlone(c, acquisition(own.id()));
  }

  // In the line

  @Test
  @Tag("L19")
  void threadsThatComeWhileACommandIsOutEnterWithItsAnswer() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    Future<Boolean> third = lines(c);

    acquire.held();

    assertTrue(GateThread.get(asking));
    assertTrue(GateThread.get(second));
    assertTrue(GateThread.get(third));
    store.assertNothingAsked();
    leaves(c);
    leaves(a);
    givesBack(b, acquisition(acquire.id()));
  }

  /** They have their holds with the answer, so a short pause of their threads costs no place. */
  @Test
  @Tag("L11")
  void aThreadInTheLineEntersAlsoIfItWakesLate() {
    Woken late = lineWakesLate();
    time.advance(TIME.minus(NANO));
    leaves(a);

    time.letGo(b.thread());

    assertTrue(GateThread.get(late.locking));
    givesBack(b, late.held);
  }

  /** One thread is inside. Another has its hold since then, was woken, and does not run. */
  private Woken lineWakesLate() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    time.stopAtWake(b.thread());
    acquire.held();
    assertTrue(GateThread.get(asking));
    time.awaitWoken(b.thread());
    return new Woken(acquisition(acquire.id()), second);
  }

  private record Woken(Acquisition held, Future<Boolean> locking) {}

  /** The thread runs at last, and asks. */
  private void asksAgain(Woken late) {
    time.letGo(b.thread());
    AskedCommand acquire = store.next("rw-acquire").held();
    assertNotEquals(late.held.id(), acquire.id());
    assertTrue(GateThread.get(late.locking));
    givesBack(b, acquisition(acquire.id()));
  }

  @Test
  void aHoldThatIsLeftToAThreadThatDoesNotRunGoesBack() {
    Woken late = lineWakesLate();
    leaves(a);
    time.advance(TIME.minus(NANO));
    store.assertNothingAsked();

    time.advance(NANO);

    assertEquals(late.held.id(), store.next("rw-leave").released().id());
    assertFalse(late.held.lease().isHeld());
    assertEquals(List.of(), engine.snapshot().holds());
    asksAgain(late);
    assertEquals(2, rows().stream().filter(List.of("acquired", "released")::equals).count());
  }

  @Test
  void aHoldIsNotKeptForAThreadThatDoesNotRunBesideOneThatReads() {
    Woken late = lineWakesLate();
    time.advance(LEASE.dividedBy(10));
    store.assertNothingAsked();
    assertEquals(1, engine.snapshot().holds().size());
    givesBack(a, late.held);

    asksAgain(late);
  }

  @Test
  @Tag("L10")
  @Tag("L11")
  void whenTheOneThatAsksHasToWaitAllAsk() {
    Future<Boolean> first = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    Future<Boolean> third = lines(c);

    acquire.queued();

    AskedCommand one = store.next("rw-acquire").queued();
    AskedCommand other = store.next("rw-acquire").queued();
    assertEquals(3, List.of(acquire.id(), one.id(), other.id()).stream().distinct().count());
    time.awaitParked(b.thread());
    time.awaitParked(c.thread());
    assertFalse(first.isDone() || second.isDone() || third.isDone());
    granted(new Queued(acquire.id(), first));
  }

  @Test
  @Tag("L10")
  @Tag("L14")
  void whenTheCommandFailsAllAsk() {
    Future<Boolean> first = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);

    acquire.lost();

    AskedCommand own = store.next("rw-acquire").held();
    assertTrue(GateThread.get(second));
    assertNotEquals(acquire.id(), own.id());
    assertFalse(first.isDone());
  }

  @Test
  @Tag("L5")
  @Tag("L10")
  void whenAnAttemptIsRefusedThoseThatWaitedForItAsk() {
    Future<Boolean> attempt = a.does(read::tryLock);
    AskedCommand tries = store.next("rw-acquire");
    assertFalse(tries.joins());
    Future<Boolean> second = lines(b);

    tries.busy();

    assertFalse(GateThread.get(attempt));
    store.next("rw-acquire").held();
    assertTrue(GateThread.get(second));
  }

  @Test
  @Tag("L5")
  void anAttemptWaitsForNoOtherThreadAndAsks() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");

    Future<Boolean> attempt = b.does(read::tryLock);
    AskedCommand tries = store.next("rw-acquire").held();

    assertFalse(tries.joins());
    assertTrue(GateThread.get(attempt));
    acquire.held();
    assertTrue(GateThread.get(asking));
    assertTrue(c.says(read::tryLock));
    store.assertNothingAsked();
  }

  @Test
  @Tag("L4")
  @Tag("L5")
  void aThreadInTheLineMayGiveUp() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> interrupted = parked(b, b.runs(read::lockInterruptibly));
    Future<Boolean> timed = parked(c, c.does(() -> read.tryLock(5, TimeUnit.MILLISECONDS)));
    b.thread().interrupt();
    GateThread.failure(InterruptedException.class, interrupted);
    time.advance(Duration.ofMillis(5));
    assertFalse(GateThread.get(timed));

    acquire.held();

    assertTrue(GateThread.get(asking));
    assertEquals(0, b.now(read::getHoldCount));
    givesBack(a, acquisition(acquire.id()));
  }

  @Test
  @Tag("L9")
  void aHoldThatWasLostBeforeItsThreadKnewOfItWasNone() {
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    Registration unused = read.onLeaseChange(change -> told.add(change.state()));
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    time.stopAtWake(b.thread());
    acquire.held();
    assertTrue(GateThread.get(asking));
    time.awaitWoken(b.thread());

    forcedOpen(acquisition(acquire.id()));
    store.next("rw-leave").absent();
    time.letGo(b.thread());

    AskedCommand own = store.next("rw-acquire").held();
    assertNotEquals(acquire.id(), own.id());
    assertTrue(GateThread.get(second));
    assertEquals(LeaseState.HELD, b.now(read::leaseState));
    assertLost(a);
    assertEquals(List.of("acquired", "lost"), rows().get(0));
    assertEquals(List.of("acquired"), rows().get(1));
    assertEquals(List.of(LeaseState.LOST), told);
    givesBack(b, acquisition(own.id()));
    assertEquals(LeaseState.RELEASED, b.now(read::leaseState));
  }

  @Test
  @Tag("L9")
  void aHoldWhoseLeaseEndedBeforeItsThreadKnewOfItWasNone() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    time.stopAtWake(b.thread());
    acquire.held();
    assertTrue(GateThread.get(asking));
    time.awaitWoken(b.thread());

    time.pause(LEASE);
    time.letGo(b.thread());

    store.next("rw-leave").absent();
    assertNotEquals(acquire.id(), store.next("rw-acquire").held().id());
    assertTrue(GateThread.get(second));
    assertEquals(LeaseState.HELD, b.now(read::leaseState));
    assertLost(a);
  }

  // Writers

  @Test
  @Tag("L11")
  void whileAWriterOfTheServiceWaitsNobodyJoins() {
    Acquisition held = reads(a);
    joins(b);
    Queued writer = queues(c, write);

    Queued reader = queues(d, read);

    leaves(b);
    givesBack(a, held);
    assertFalse(reader.locking.isDone());
    granted(writer);
    gives(c, write);
    givesBack(d, granted(reader));
  }

  @Test
  @Tag("L11")
  void whatComesWhileAWriterOfTheServiceWaitsIsNotShared() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> inLine = lines(d);
    queues(c, write);
    acquire.held(); // its command was there before that of the writer
    assertTrue(GateThread.get(asking));

    store.next("rw-acquire").queued();
    Queued reader = queues(b, read);

    assertFalse(inLine.isDone());
    assertFalse(reader.locking.isDone());
    givesBack(a, acquisition(acquire.id()));
  }

  @Test
  void anUncontendedWriterStopsNobody() {
    Acquisition held = reads(a);
    Future<Boolean> attempt = c.does(write::tryLock);
    store.next("rw-acquire").busy();
    assertFalse(GateThread.get(attempt));
    joins(b);
    leaves(a);
    givesBack(b, held);
  }

  /** A writer of another process is behind both places, and waits for one share only. */
  @Test
  @Tag("L11")
  void ofThePlacesInTheQueueOnlyTheFirstOpensAShare() {
    Queued first = queues(a, read);
    Queued second = queues(b, read);
    Acquisition held = granted(first);
    joins(c);
    leaves(c);
    time.advance(TIME);
    givesBack(a, held);

    Acquisition own = granted(second);

    Queued third = queues(c, read);
    givesBack(b, own);
    Acquisition next = granted(third); // it has asked after that time
    joins(d);
    leaves(c);
    givesBack(d, next);
  }

  @Test
  void whatTheStoreGivesAtOnceIsSharedHoweverSoonItComes() {
    Acquisition first = reads(a);
    joins(b);
    assertFalse(a.says(rw::tryUpgrade)); // so nobody joins any more
    Acquisition second = asksAlone(c, first);

    joins(d);

    leaves(a);
    givesBack(b, first);
    leaves(c);
    givesBack(d, second);
  }

  @Test
  @Tag("L2")
  void aWriterThatReadsOnSharesWithNobody() {
    Future<Boolean> writing = a.runs(write::lock);
    store.next("rw-acquire").held();
    assertTrue(GateThread.get(writing));
    Acquisition own = reads(a);
    gives(a, write);

    Acquisition other = asksAlone(b, own);
    givesBack(a, own);
    givesBack(b, other);
  }

  @Test
  @Tag("L2")
  void aReaderAmongOthersIsNotUpgradedAndNobodyJoinsAnyMore() {
    Acquisition held = reads(a);
    joins(b);

    assertFalse(a.says(rw::tryUpgrade));

    store.assertNothingAsked();
    Acquisition other = asksAlone(c, held);
    givesBack(c, other);
    leaves(b);
    Future<Boolean> upgrade = a.does(rw::tryUpgrade);
    assertFalse(store.next("rw-acquire").held().joins());
    assertTrue(GateThread.get(upgrade));
    Queued reader = queues(b, read);
    gives(a, write);
    assertFalse(reader.locking.isDone());
    givesBack(a, held);
    assertTrue(rows().stream().anyMatch(row -> row.equals(List.of("BUSY"))), rows()::toString);
  }

  @Test
  @Tag("L2")
  void whileTheOnlyReaderIsUpgradedNobodyJoins() {
    Acquisition held = reads(a);
    Future<Boolean> upgrade = a.does(rw::tryUpgrade);
    AskedCommand command = store.next("rw-acquire");

    Queued reader = queues(b, read);
    command.held();

    assertTrue(GateThread.get(upgrade));
    gives(a, write);
    givesBack(a, held);
    granted(reader);
  }

  // Limits

  private DistributedLock limited(int handOffs) {
    Engine other =
        new Engine(
            ClientId.create(),
            store,
            settings(handOffs, Duration.ZERO),
            new LeaseEvents(List.of(), Runnable::run));
    return Handles.readWrite(other, LockKeys.readWrite("mortise:", "limited")).readLock();
  }

  /** The thread gets the lock by a command of its own. */
  private static String asks(Future<Boolean> locking, AskedCommand acquire) {
    acquire.held();
    assertTrue(GateThread.get(locking));
    return acquire.id();
  }

  @Test
  void withoutHandOffsNobodyShares() {
    DistributedLock alone = limited(0);
    Future<Boolean> first = a.runs(alone::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = b.runs(alone::lock);
    AskedCommand own = store.next("rw-acquire");

    assertNotEquals(asks(first, acquire), asks(second, own));
  }

  @Test
  void atMostAsManyJoinAsHandOffsAreAllowed() {
    DistributedLock two = limited(2);
    Future<Boolean> first = a.runs(two::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = parked(b, b.runs(two::lock));
    Future<Boolean> third = parked(c, c.runs(two::lock));
    Future<Boolean> fourth = parked(d, d.runs(two::lock));

    acquire.held();

    assertTrue(GateThread.get(first));
    assertTrue(GateThread.get(second));
    assertTrue(GateThread.get(third));
    assertNotEquals(acquire.id(), asks(fourth, store.next("rw-acquire")));
    GateThread.get(b.runs(two::unlock));
    store.assertNothingAsked();
    assertTrue(b.says(two::tryLock)); // by the hold of the fourth
    store.assertNothingAsked();
  }

  // Ends

  @Test
  @Tag("L9")
  void aLossMarksEveryThread() {
    Acquisition held = reads(a);
    joins(b);
    joins(b);
    joins(c);
    leaves(c);

    forcedOpen(held);

    store.next("rw-leave").absent();
    assertLost(a);
    assertEquals(LeaseState.LOST, b.now(read::leaseState));
    GateThread.failure(LeaseLostException.class, b.runs(read::unlock));
    assertLost(b);
    assertEquals(LeaseState.RELEASED, c.now(read::leaseState));
    asksAlone(d, held);
    assertEquals(
        List.of(
            List.of("acquired", "lost"),
            List.of("acquired", "lost"),
            List.of("acquired", "released"),
            List.of("acquired")),
        rows());
  }

  @Test
  @Tag("L9")
  void anUnlockOfWhatTheStoreHasNoMoreIsALossOfTheLastAlone() {
    Acquisition held = reads(a);
    joins(b);
    leaves(a);

    Future<Boolean> unlocking = b.runs(read::unlock);
    assertEquals(held.id(), store.next("rw-leave").absent().id());

    GateThread.failure(LeaseLostException.class, unlocking);
    assertEquals(List.of(List.of("acquired", "released"), List.of("acquired", "lost")), rows());
  }

  @Test
  @Tag("L7")
  @Tag("L8")
  void theLeaseIsRenewedForTheLivingAndNotForTheDead() throws InterruptedException {
    Acquisition held = reads(a);
    joins(b);
    a.die();
    for (int i = 0; i < 6; i++) {
      time.advance(LEASE.dividedBy(3));
      assertEquals(held.id(), store.next("renew").renewed().id());
    }
    leaves(b);

    time.advance(LEASE.minusMillis(2));
    store.assertNothingAsked();
    assertTrue(held.lease().isHeld());
    time.advance(Duration.ofMillis(1));

    assertEquals(held.id(), store.next("rw-leave").absent().id());
    assertTrue(held.lease().loss().contains("ended without unlocking"), held.lease().loss());
  }

  @Test
  @Tag("L27")
  void whatIsLeftLaterStaysTakenAlsoIfOthersLeaveAtOnce() {
    Acquisition held = reads(a);
    joins(b);
    joins(c);
    Future<Boolean> leaving = a.runs(() -> read.unlockAfter(LEASE.dividedBy(2)));
    assertTrue(GateThread.get(leaving)); // its lease is long enough
    Future<Boolean> later = b.runs(() -> read.unlockAfter(LEASE.multipliedBy(2)));
    AskedCommand longer = store.next("renew").renewed();
    assertEquals(held.id(), longer.id());
    assertTrue(GateThread.get(later));
    assertTrue(held.lease().remaining(time.nanoTime()) > LEASE.multipliedBy(2).toNanos());
    asksAlone(d, held);

    Future<Boolean> unlocking = c.runs(read::unlock);

    assertEquals(held.id(), store.next("linger").released().id());
    assertTrue(GateThread.get(unlocking));
  }

  @Test
  @Tag("L24")
  void eachThreadsHoldIsShown() {
    Acquisition held = reads(a);
    time.advance(Duration.ofMillis(1));
    joins(b);
    joins(b);
    List<HoldInfo> holds = engine.snapshot().holds();
    assertEquals(List.of(held.id(), held.id()), holds.stream().map(HoldInfo::holder).toList());
    assertEquals(
        List.of("A", "B"), holds.stream().map(each -> each.threadName().orElseThrow()).toList());
    assertEquals(List.of(1, 2), holds.stream().map(HoldInfo::levels).toList());
    leaves(b);
    leaves(b);
    givesBack(a, held);
    assertEquals(List.of(), engine.snapshot().holds());
  }

  @Test
  @Tag("L17")
  void closingWaitsForAllAndIsToldToEachThatStays() throws Exception {
    reads(a);
    joins(b);
    joins(c);
    Future<Boolean> drained = d.does(() -> engine.drain(Duration.ofSeconds(1)));
    time.awaitParked(d.thread());
    leaves(a);
    assertFalse(drained.isDone());
    time.advance(Duration.ofSeconds(1));
    assertFalse(GateThread.get(drained));

    assertTrue(d.says(engine::close));

    for (GateThread each : List.of(b, c)) {
      GateThread.failure(LockServiceClosedException.class, each.runs(read::unlock));
    }
    GateThread.failure(LockServiceClosedException.class, a.runs(read::lock));
    assertEquals(
        List.of(
            List.of("acquired", "released"),
            List.of("acquired", "lost"),
            List.of("acquired", "lost")),
        rows().subList(0, 3));
  }

  @Test
  @Tag("L17")
  void closingWakesThoseInTheLine() {
    Future<Boolean> asking = a.runs(read::lock);
    AskedCommand acquire = store.next("rw-acquire");
    Future<Boolean> second = lines(b);
    Future<Boolean> closing = d.does(engine::close);

    GateThread.failure(LockServiceClosedException.class, second);

    store.next("rw-leave").absent();
    assertTrue(GateThread.get(closing));
    acquire.held();
    GateThread.failure(LockServiceClosedException.class, asking);
    store.next("rw-leave").absent();
  }

  @Test
  @Tag("L17")
  void aThreadThatClosesDoesNotWaitForItsOwnShare() {
    Acquisition held = reads(a);
    joins(b);
    leaves(b);
    assertTrue(a.says(() -> engine.drain(Duration.ofSeconds(1))));
    givesBack(a, held);
  }

  @Test
  @Tag("L17")
  void aThreadThatClosesWaitsForThoseThatShareWithIt() {
    Acquisition held = reads(a);
    joins(b);
    Future<Boolean> drained = parked(a, a.does(() -> engine.drain(Duration.ofSeconds(1))));
    time.advance(Duration.ofSeconds(1));
    assertFalse(GateThread.get(drained));
    leaves(b);
    givesBack(a, held);
  }
}
