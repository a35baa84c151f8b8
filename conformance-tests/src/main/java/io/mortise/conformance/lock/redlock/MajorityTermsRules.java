package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The Redlock: its owner and its lease. */
@Rule("L16")
public abstract class MajorityTermsRules extends MajorityFixture {
  private static final Duration SHORT = Duration.ofSeconds(3);

  protected MajorityTermsRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L7", "L9"})
  void aThreadThatDiedKeepsTheLockForOneLease() {
    Party mine = new Party(SHORT);
    List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());
    mine.lock.onLeaseChange((LeaseChange event) -> told.add(event.state()));
    Thread dead = die(() -> mine.lock.lock());
    assertTrue(mine.lock.isHeldByThread(dead.getId()));
    assertFalse(mine.lock.tryLock(), "the thread's lease is not over yet");

    passTimeUntil(
        "the thread's lease is over", SHORT.multipliedBy(2), () -> mine.lockedMembers() == 0);

    Await.until("the loss is reported", () -> told.contains(LeaseState.LOST));
    assertFalse(mine.lock.isHeldByThread(dead.getId()));
    passTime(SHORT);
    assertEquals(0, mine.lockedMembers(), "no member is acquired again");
  }

  /**
   * This holds also for members that the lock acquired again, and for a nested lock that asked for
   * renewal.
   */
  @Test
  @Rule("L7")
  void membersThatADeadThreadAcquiredAgainEndToo() {
    Party mine = new Party(SHORT);
    Party theirs = party();
    Contender inside =
        Contender.start(() -> {
          mine.lock.withLease(SHORT).lock();
          mine.lock.lock();
          return true;
        });
    assertTrue(inside.result());
    forceOpen(0);
    passTimeUntil("the member is held again", SECONDS, () -> isHeldOn(0));
    passTime(SHORT);
    inside.leave(() -> {});

    passTimeUntil("the lock is free", SHORT.multipliedBy(2), theirs.lock::tryLock);
    theirs.lock.unlock();
    theirs.awaitFree();
  }

  @Test
  @Rule("L20")
  void aListenerThatThrowsKeepsNoEventFromOthers() {
    assertKeepsNoEvent(() -> {
      throw new IllegalStateException("the listener fails");
    });
    assertKeepsNoEvent(() -> {
      throw new AssertionError("the listener fails");
    });
  }

  private void assertKeepsNoEvent(Runnable failing) {
    Party mine = new Party(SHORT);
    List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());
    mine.lock.onLeaseChange(event -> failing.run());
    mine.lock.onLeaseChange((LeaseChange event) -> told.add(event.state()));
    Thread unused = die(() -> mine.lock.lock());

    passTimeUntil(
        "the thread's lease is over", SHORT.multipliedBy(2), () -> mine.lockedMembers() == 0);

    Await.until("the loss is reported", () -> told.contains(LeaseState.LOST));
  }

  private static Thread die(Runnable last) {
    Thread thread = new Thread(last, "dead");
    thread.start();
    Await.until("the thread ends", () -> !thread.isAlive());
    return thread;
  }

  @Test
  @Rule("L8")
  void aRenewedHoldNestedInAFixedOneIsRenewed() {
    Party mine = new Party(SHORT);
    mine.lock.lock(1, TimeUnit.SECONDS);
    mine.lock.lock();

    passTime(SHORT.multipliedBy(2));
    mine.lock.ensureHeld();
    forceOpen(0);
    passTimeUntil("the member is held again", SHORT, () -> isHeldOn(0));

    mine.lock.unlock();
    mine.lock.ensureHeld();
    mine.lock.unlock();
    mine.awaitFree();
  }

  @Test
  @Rule("L9")
  void theDriftOfClocksCountsForWhatTheLeaseHasBecome() throws InterruptedException {
    Party mine = party();
    try (Lease lease = mine.lock.acquire()) {
      assertTrue(lease.extend(Duration.ofSeconds(500)));
      assertTrue(lease.remaining().compareTo(Duration.ofSeconds(495)) < 0, lease::toString);
    }
    mine.lock.lock(1, TimeUnit.SECONDS);
    mine.lock.lock(3, TimeUnit.SECONDS);
    passTime(Duration.ofMillis(2970));
    assertFalse(mine.lock.isHeldByCurrentThread());
    assertThrows(
        LeaseLostException.class,
        () -> {
          mine.lock.unlock();
          mine.lock.unlock();
        });
    mine.awaitFree();
  }

  /**
   * The time until the next renewal is a third of the lease. A third of the long lease would be
   * longer than the lease that follows.
   */
  @Test
  @Rule("L8")
  void aLeaseThatWasLongIsRenewedAfterwards() throws InterruptedException {
    Party mine = new Party(Duration.ofSeconds(2)); // a busy machine may take a second to renew
    try (Lease lease = mine.lock.acquire()) {
      assertTrue(lease.extend(Duration.ofSeconds(7)));
      passTime(Duration.ofSeconds(11));
      assertEquals(LeaseState.HELD, lease.state());
    }
    mine.awaitFree();
  }
}
