package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handles with a limit of their own for how long a hold may last. */
@Rule("L28")
public abstract class MaxHoldRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LIMIT = Duration.ofSeconds(4);

  protected MaxHoldRules(LockKit kit) {
    super(ofSingleServer(kit)); // the service alone knows the limit
  }

  private void awaitLoss(DistributedLock mine) {
    passTimeUntil("the limit is reached", LIMIT.multipliedBy(3), () -> !isHeld(mine));
  }

  private static boolean isHeld(DistributedLock lock) {
    return lock.leaseState() == LeaseState.HELD || lock.leaseState() == LeaseState.SUSPECT;
  }

  private static String messageOf(Exception thrown) {
    return String.valueOf(thrown.getMessage());
  }

  @Test
  void aRenewedHoldEndsAtItsLimitAndTheReasonNamesIt() {
    DistributedLock mine = lockWithLease(LEASE).withMaxHold(LIMIT);
    List<LeaseChange> losses = new CopyOnWriteArrayList<>();
    mine.onLeaseLost(losses::add);
    mine.lock();
    passTime(LEASE.plusMillis(500));
    mine.ensureHeld();

    awaitLoss(mine);

    DistributedLock theirs = lock();
    Await.until("the lock is free at once", theirs::tryLock);
    Await.until("the listener got the loss", () -> !losses.isEmpty());
    assertTrue(losses.get(0).reason().contains("withMaxHold(PT4S)"), losses.toString());
    String said = messageOf(assertThrows(LeaseLostException.class, mine::unlock));
    assertTrue(said.contains("withMaxHold(PT4S)"), said);
    theirs.unlock();
  }

  @Test
  void aLimitShorterThanTheLeaseTimeEndsTheHoldToo() {
    DistributedLock mine = lock().withMaxHold(Duration.ofSeconds(1));
    mine.lock();

    awaitLoss(mine);

    DistributedLock theirs = lock();
    Await.until("the lock is free at once", theirs::tryLock);
    String said = messageOf(assertThrows(LeaseLostException.class, mine::unlock));
    assertTrue(said.contains("withMaxHold(PT1S)"), said);
    theirs.unlock();
  }

  @Test
  void theShorterOfTwoLimitsCounts() {
    DistributedLock mine =
        service(builder -> builder.leaseTime(LEASE).maxHold(LIMIT)).getLock(name);
    mine.withMaxHold(LIMIT.multipliedBy(100)).lock();
    awaitLoss(mine);
    String said = messageOf(assertThrows(LeaseLostException.class, mine::unlock));
    assertTrue(said.contains("maxHold PT4S"), said);
  }

  @Test
  void aNestedLockChangesNoLimit() {
    DistributedLock mine = lockWithLease(LEASE);
    mine.withMaxHold(LIMIT).lock();
    mine.lock();
    assertEquals(2, mine.getHoldCount());

    awaitLoss(mine);

    assertThrows(LeaseLostException.class, mine::unlock);
    mine.lock();
    mine.withMaxHold(Duration.ofSeconds(1)).lock();
    passTime(LEASE);
    mine.ensureHeld();
    mine.unlock();
    mine.unlock();
  }

  @Test
  void aNestedLockGivesItsLimitToAFixedHold() {
    DistributedLock mine = lockWithLease(LEASE);
    mine.lock(LEASE);
    mine.withMaxHold(LIMIT).lock();
    passTime(LEASE.plusMillis(500));
    mine.ensureHeld();

    awaitLoss(mine);

    assertThrows(LeaseLostException.class, mine::unlock);
  }

  @Test
  void aThreadOfTheSameServiceThatWaitedHasNoLimit() {
    DistributedLock mine = lockWithLease(LEASE);
    mine.withMaxHold(LIMIT).lock();
    Contender next = entering(mine);
    mine.unlock();
    assertTrue(next.result());

    passTime(LIMIT.plus(LEASE));

    assertTrue(mine.isHeldByThread(next.thread().getId()));
    next.leave(mine::unlock);
  }

  @Test
  void aThreadThatWaitedForAnotherOfItsServiceHasItsOwnLimit() {
    DistributedLock mine = lockWithLease(LEASE);
    mine.lock();
    Contender next = entering(mine.withMaxHold(LIMIT));
    mine.unlock();
    assertTrue(next.result());

    passTimeUntil(
        "the limit is reached",
        LIMIT.multipliedBy(3),
        () -> !mine.isHeldByThread(next.thread().getId()));

    DistributedLock theirs = lock();
    Await.until("the lock is free at once", theirs::tryLock);
    theirs.unlock();
  }

  @Test
  void aLeaseObjectEndsAtItsLimit() throws Exception {
    Lease lease = lockWithLease(LEASE).withMaxHold(LIMIT).acquire();
    List<LeaseChange> losses = new CopyOnWriteArrayList<>();
    lease.onLost(losses::add);
    passTime(LEASE.plusMillis(500));
    assertTrue(lease.isValid());
    assertTrue(lease.extend(LIMIT.multipliedBy(10)), "it is extended up to the limit");

    passTimeUntil("the limit is reached", LIMIT.multipliedBy(3), () -> !lease.isValid());

    Await.until("the listener got the loss", () -> !losses.isEmpty());
    assertTrue(losses.get(0).reason().contains("withMaxHold"), losses.toString());
    assertThrows(LeaseLostException.class, lease::close);
  }

  @Test
  void fencedAndReadWriteLocksAndMultiLocksHaveLimitsToo() {
    LockService service = service(builder -> builder.leaseTime(LEASE));
    for (DistributedLock each :
        List.of(
            service.getFencedLock(name),
            service.getReadWriteLock(name).readLock(),
            service.getReadWriteLock(name).writeLock())) {
      each.withMaxHold(Duration.ofSeconds(1)).lock();
      awaitLoss(each);
      assertThrows(LeaseLostException.class, each::unlock);
    }
    MultiLock both = MultiLock.of(service.getLock(name), service.getLock(name + "-other"));
    both.withMaxHold(Duration.ofSeconds(1)).lock();
    passTimeUntil("the limit is reached", LIMIT, () -> !both.isHeldByCurrentThread());
    assertThrows(LeaseLostException.class, both::unlock);
  }

  @Test
  void withLeaseAndWithMaxHoldReplaceEachOther() {
    DistributedLock mine = lockWithLease(LEASE);
    mine.withMaxHold(Duration.ofSeconds(1)).withLease(LIMIT).lock();
    passTime(Duration.ofSeconds(2));
    mine.ensureHeld();
    mine.unlock();
    mine.withLease(Duration.ofSeconds(1)).withMaxHold(LIMIT).lock();
    passTime(Duration.ofSeconds(2));
    mine.ensureHeld();
    mine.unlock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT0.009S", "P10001D"})
  void aLimitOutOfRangeIsRefused(Duration limit) {
    String said =
        messageOf(assertThrows(IllegalArgumentException.class, () -> lock().withMaxHold(limit)));
    assertTrue(said.contains("max hold " + limit) && said.contains("10 ms"), said);
  }

  @Test
  void aRedlockRefusesALimit() {
    RedLock red = RedLock.of(lock());
    String said =
        messageOf(assertThrows(UnsupportedOperationException.class, () -> red.withMaxHold(LIMIT)));
    assertTrue(said.contains(name) && said.contains("maxHold"), said);
  }
}
