package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks that are left now and free later. */
@Rule("L27")
public abstract class LeaveLaterRules extends LockRules {
  private static final Duration REST = Duration.ofSeconds(2);
  private static final Duration LEASE = Duration.ofSeconds(9);
  private static final Duration INSIDE = REST.dividedBy(2);

  /** A moment before the lock was left. */
  private long leftAt;

  protected LeaveLaterRules(LockKit kit) {
    super(ofSingleServer(kit)); // a cluster and sentinels add nothing to the time
  }

  private void leaving() {
    leftAt = System.nanoTime();
  }

  /** On a server with time of its own, a test that was stopped for long may find it free. */
  private boolean mayBeFree() {
    return System.nanoTime() - leftAt >= REST.toNanos();
  }

  private void assertNotFree(DistributedLock lock) {
    boolean taken = lock.tryLock();
    assertTrue(!taken || mayBeFree(), "it is not free yet");
    if (taken) {
      lock.unlock();
    }
  }

  /** The lock is not free for the rest of time, and is soon after it. */
  private void assertFreeLater(DistributedLock lock) {
    assertNotFree(lock);
    passTime(INSIDE);
    assertNotFree(lock);
    passTimeUntil("the rest is over", REST, lock::tryLock);
    lock.unlock();
  }

  @Test
  void theLockIsKeptFromAllAndThenFree() {
    DistributedLock mine = lock();
    mine.lock();
    LockHolder before = mine.holder().orElseThrow();

    leaving();
    mine.unlockAfter(REST);

    assertEquals(LeaseState.RELEASED, mine.leaseState());
    assertThrows(IllegalMonitorStateException.class, mine::unlock);
    assertNotFree(mine); // this thread waits too
    LockHolder after = lock().holder().orElseThrow();
    assertEquals(before.clientId(), after.clientId());
    assertEquals(before.threadId(), after.threadId());
    assertTrue(
        after.leaseLeft().compareTo(REST.plusSeconds(1)) <= 0, "shorter than the lease: " + after);
    assertFreeLater(lock());
    assertFalse(mine.isLocked());
  }

  @Test
  void theTimeMayBeLongerThanTheLeaseThatIsLeft() {
    DistributedLock mine = lock();
    mine.lock(LEASE);
    mine.unlockAfter(LEASE.multipliedBy(3));
    assertTrue(mine.remainTimeToLive() > LEASE.multipliedBy(2).toMillis());
    assertTrue(mine.forceUnlock());
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "P-10000D"})
  void noTimeActsAsUnlock(Duration none) throws Exception {
    DistributedLock mine = lock();
    mine.lock();
    mine.unlockAfter(none);
    assertFalse(mine.isLocked());
    Lease lease = mine.acquire();
    lease.closeAfter(none);
    assertFalse(mine.isLocked());
  }

  @Test
  void aTimeThatIsTooLongIsRefusedAndTheLockIsStillHeld() throws Exception {
    DistributedLock mine = lock();
    mine.lock();
    Duration tooLong = Duration.ofDays(10_001);
    assertThrows(IllegalArgumentException.class, () -> mine.unlockAfter(tooLong));
    mine.ensureHeld();
    mine.unlock();
    Lease lease = mine.acquire();
    assertThrows(IllegalArgumentException.class, () -> lease.closeAfter(tooLong));
    assertTrue(lease.isValid());
    lease.close();
  }

  @Test
  void aThreadOfTheSameServiceThatWaitsGetsTheLockAfterIt() {
    DistributedLock mine = lock();
    mine.lock();
    Contender next = entering(mine);

    leaving();
    mine.unlockAfter(REST);

    next.awaitRest();
    passTime(INSIDE);
    assertTrue(!next.isInside() || mayBeFree(), "the hold was handed off too early");
    passTimeUntil("the waiter holds the lock", REST.multipliedBy(2), next::isInside);
    next.leave(mine::unlock);
  }

  @Test
  void aWaiterOfAnotherServiceGetsTheLockAfterIt() {
    DistributedLock mine = lock();
    mine.lock();
    DistributedLock theirs = lock();
    Contender next = entering(theirs);
    awaitQueued(1);

    leaving();
    mine.unlockAfter(REST);

    passTime(INSIDE);
    assertTrue(!next.isInside() || mayBeFree(), "it got the lock too early");
    passTimeUntil("the waiter holds the lock", REST.multipliedBy(2), next::isInside);
    next.leave(theirs::unlock);
  }

  @Test
  void aServiceThatClosesMeanwhileFreesNothingEarly() throws Exception {
    LockService service = service();
    leaving();
    service.getLock(name).acquire().closeAfter(REST);
    service.close();
    assertFreeLater(lock());
    LockService second = service();
    second.getLock(name).lock();
    leaving();
    second.getLock(name).unlockAfter(REST);
    second.close(Duration.ofSeconds(10));
    assertFreeLater(lock());
  }

  @Test
  void aNestedHoldIsLeftLevelByLevelAndTheLatestTimeCounts() {
    DistributedLock mine = lock();
    mine.lock();
    mine.lock();
    mine.lock();
    leaving();
    mine.unlockAfter(REST);
    mine.unlockAfter(Duration.ofMillis(1));
    mine.ensureHeld();
    assertEquals(1, mine.getHoldCount());

    mine.unlock();

    assertFreeLater(lock());
  }

  @Test
  @Rule("C1")
  @SuppressWarnings("WaitNotInLoop")
  void aWaitForASignalFreesTheLockAndTheTimeCountsAfterIt() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    Condition signalled = mine.newCondition();
    leaving();
    Contender waiter =
        contender(() -> {
          mine.lock();
          mine.lock();
          mine.unlockAfter(REST);
          boolean woken = false;
          while (!woken) {
            woken = signalled.await(1, TimeUnit.HOURS);
          }
          return mine.getHoldCount() == 1;
        });
    waiter.awaitRest();

    assertTrue(theirs.tryLock(), "a wait is not the end of the hold");
    theirs.unlock();
    mine.lock();
    signalled.signal();
    mine.unlock();

    assertTrue(waiter.result());
    waiter.leave(mine::unlock);
    assertFreeLater(theirs);
  }

  @Test
  void aForcedUnlockEndsTheRest() {
    DistributedLock mine = lock();
    mine.lock();
    mine.unlockAfter(Duration.ofDays(10_000));
    String id = mine.holder().orElseThrow().id();
    assertTrue(lock().forceUnlock(id));
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @Test
  void aLostHoldKeepsNothing() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    deleteKey();
    assertTrue(theirs.tryLock());

    assertThrows(LeaseLostException.class, () -> mine.unlockAfter(REST));

    theirs.ensureHeld();
    assertTrue(theirs.remainTimeToLive() > REST.toMillis(), "the lease of the other is whole");
    theirs.unlock();
    assertFalse(mine.isLocked());
    assertThrows(IllegalMonitorStateException.class, () -> mine.unlockAfter(REST));
  }

  @Test
  @Rule("L14")
  void aLostReplyIsAskedForAgainAndChangesNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock mine = service(link, builder -> builder).getLock(name);
    mine.lock();
    link.set("linger", Link.REPLY_LOST, 1);

    leaving();
    mine.unlockAfter(REST);

    assertFreeLater(lock());
  }

  @Test
  @Rule("L14")
  void anOutageThatIsShorterThanTheTimeIsSurvived() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock mine = service(link, builder -> builder).getLock(name);
    mine.lock();
    link.set("linger", Link.DOWN, 3);

    leaving();
    mine.unlockAfter(REST);

    assertFreeLater(lock());
  }

  @Test
  @Rule("L14")
  void aRenewalThatArrivesLateMakesTheRestNoLonger() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock mine = service(link, builder -> builder.leaseTime(LEASE)).getLock(name);
    mine.lock();
    HeldCall renewal = link.hold("renew");
    passTimeUntil("a renewal is out", LEASE, renewal::isSent);
    leaving();
    mine.unlockAfter(REST);

    renewal.arrive();

    assertTrue(mine.remainTimeToLive() <= REST.plusSeconds(1).toMillis());
    assertFreeLater(lock());
  }

  @Test
  @Rule("L14")
  void aReleaseOfTheSameIdThatArrivesLateFreesNothing() {
    SpyBackend spy = new SpyBackend(backend());
    DistributedLock mine = service(spy, builder -> builder).getLock(name);
    mine.lock();
    mine.unlock();
    ScriptCall leave = spy.sent("leave").get(0);
    mine.lock();
    String id = mine.holder().orElseThrow().id();
    leaving();
    mine.unlockAfter(REST);

    // What a service sends for a grant to an id that it does not know any more.
    List<String> args = List.of(id, leave.args().get(1));
    List<Object> reply =
        backend().execute(new ScriptCall(leave.script(), leave.keys(), args, leave.timeout()));

    assertEquals(List.<Object>of("ABSENT"), reply);
    assertFreeLater(lock());
  }

  @Test
  @Rule("L19")
  void leavingSendsOneCommand() {
    SpyBackend spy = new SpyBackend(backend());
    DistributedLock mine = service(spy, builder -> builder).getLock(name);
    mine.lock();
    spy.forget();
    leaving();
    mine.unlockAfter(REST);
    assertEquals(1, spy.sent("linger").size());
    assertEquals(0, spy.sent("leave").size());
  }

  @Test
  void fencedHoldsHaveItAndTokensRise() {
    FencedLock mine = service().getFencedLock(name);
    long before = mine.lockAndGetToken();
    leaving();
    mine.unlockAfter(REST);
    passTime(INSIDE);
    assertNotFree(lock());
    passTimeUntil("the rest is over", REST, mine::tryLock);
    assertTrue(mine.fencingToken() > before);
    mine.unlock();
  }

  @Test
  void aReaderKeepsWritersOutAndAWriterKeepsAllOut() {
    DistributedReadWriteLock mine = service().getReadWriteLock(name);
    DistributedReadWriteLock theirs = service().getReadWriteLock(name);
    mine.readLock().lock();
    leaving();
    mine.readLock().unlockAfter(REST);
    assertTrue(theirs.readLock().tryLock());
    theirs.readLock().unlock();
    assertFreeLater(theirs.writeLock());
    mine.writeLock().lock();
    leaving();
    mine.writeLock().unlockAfter(REST);
    assertNotFree(mine.readLock());
    assertFreeLater(theirs.readLock());
  }

  @Test
  @Rule("S1")
  void permitsComeBackLater() throws Exception {
    DistributedSemaphore mine = service().getSemaphore(name);
    mine.resize(3);
    DistributedSemaphore theirs = service().getSemaphore(name);
    leaving();
    mine.acquire(2).closeAfter(REST);
    assertTrue(theirs.availablePermits() == 1 || mayBeFree());
    passTime(INSIDE);
    assertTrue(theirs.availablePermits() == 1 || mayBeFree());
    passTimeUntil("the permits are back", REST, () -> theirs.availablePermits() == 3);
    theirs.acquire(3).close();
  }

  @Test
  void everyMemberOfAMultiLockIsKept() throws Exception {
    LockService service = service();
    MultiLock both = MultiLock.of(service.getLock(name), service.getLock(name + "-other"));
    both.lock();
    leaving();
    both.unlockAfter(REST);
    assertFreeLater(lock());
    Lease lease = both.acquire();
    leaving();
    lease.closeAfter(REST);
    assertFreeLater(service().getLock(name + "-other"));
    assertFalse(service.getLock(name).isLocked());
  }

  @Test
  void aRedlockRefusesIt() throws Exception {
    RedLock red = RedLock.of(lock());
    assertThrows(UnsupportedOperationException.class, () -> red.unlockAfter(REST));
  }

  @Test
  @Rule("L15")
  void nothingIsLeft() {
    DistributedLock mine = lock();
    mine.lock();
    mine.unlockAfter(Duration.ofMillis(500));
    passTimeUntil("the rest is over", REST, () -> !mine.isLocked());
    List<Object> left = run("return {redis.call('EXISTS', KEYS[1])}");
    assertEquals(List.<Object>of(0L), left);
    mine.lock();
    mine.unlock();
    Await.until("it is free at once", () -> !mine.isLocked());
  }
}
