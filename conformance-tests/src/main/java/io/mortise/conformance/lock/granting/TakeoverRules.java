package io.mortise.conformance.lock.granting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Another thread acquires a lock whose lease has ended. By the order of events the old holder knows
 * of the end before that.
 */
public abstract class TakeoverRules extends LockRules {
  private static final int ROUNDS = 10;

  /** Enough for a renewal that comes in time on a busy machine. */
  private static final Duration LEASE = Duration.ofSeconds(3);

  private final List<LeaseState> changes = new CopyOnWriteArrayList<>();

  protected TakeoverRules(LockKit kit) {
    super(kit);
  }

  /**
   * Waits for the lock, and notes at once whether the other thread still believes that it holds it.
   */
  private Contender successor(
      DistributedLock theirs, DistributedLock mine, List<Boolean> overlaps) {
    long holder = Thread.currentThread().getId();
    return contender(() -> {
      theirs.lock();
      overlaps.add(mine.isHeldByThread(holder));
      return true;
    });
  }

  @Test
  @Rule({"L1", "L9"})
  void whenAnotherHoldsTheLockAFixedLeaseIsOver() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    List<Boolean> overlaps = new CopyOnWriteArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      mine.lock(50, TimeUnit.MILLISECONDS);
      Contender next = successor(theirs, mine, overlaps);

      passTimeUntil("the other thread holds the lock", LEASE.multipliedBy(5), next::isInside);

      assertEquals(LeaseState.LOST, mine.leaseState());
      assertThrows(LeaseLostException.class, mine::unlock);
      next.leave(theirs::unlock);
    }
    assertEquals(ROUNDS, overlaps.size());
    assertFalse(overlaps.contains(true), "both threads believed to hold the lock: " + overlaps);
  }

  @Test
  @Rule({"L1", "L9"})
  void whenAnotherHoldsTheLockALeaseThatCouldNotBeRenewedIsOver() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock mine = service(link, builder -> builder.leaseTime(LEASE)).getLock(name);
    DistributedLock theirs = lock();
    List<Boolean> overlaps = new CopyOnWriteArrayList<>();
    mine.onLeaseChange(event -> changes.add(event.state()));
    mine.lock();
    Contender next = successor(theirs, mine, overlaps);
    passTime(LEASE);
    mine.ensureHeld();

    link.set(Link.REQUEST_LOST);
    passTimeUntil("the other thread holds the lock", LEASE.multipliedBy(5), next::isInside);

    // With moved time no time passes here. The report came before the other thread got the lock.
    Await.until("the listener got the loss", () -> changes.contains(LeaseState.LOST));
    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.LOST), changes);
    assertFalse(overlaps.contains(true), "both threads believed to hold the lock");
    assertThrows(LeaseLostException.class, mine::ensureHeld);
    assertThrows(LeaseLostException.class, mine::unlock);
    link.set(Link.UP);
    next.leave(() -> {
      theirs.ensureHeld();
      theirs.unlock();
    });
  }

  @Test
  @Rule({"L1", "L9"})
  void aHolderKnowsTheEndOfItsLeaseAlsoIfNoTimerRuns() {
    SpyBackend spy = new SpyBackend(backend());
    spy.stopTimers();
    DistributedLock mine = service(spy, builder -> builder).getLock(name);
    DistributedLock theirs = lock();
    List<Boolean> overlaps = new CopyOnWriteArrayList<>();
    mine.lock(50, TimeUnit.MILLISECONDS);
    Contender next = successor(theirs, mine, overlaps);

    passTimeUntil("the other thread holds the lock", LEASE.multipliedBy(5), next::isInside);

    assertFalse(overlaps.contains(true), "both threads believed to hold the lock");
    assertEquals(LeaseState.LOST, mine.leaseState());
    assertThrows(LeaseLostException.class, mine::ensureHeld);
    assertThrows(LeaseLostException.class, mine::unlock);
    assertEquals(LeaseState.RELEASED, mine.leaseState(), "the unlock reported the loss");
    assertEquals(
        IllegalMonitorStateException.class,
        assertThrows(IllegalMonitorStateException.class, mine::unlock).getClass());
    next.leave(() -> {
      theirs.ensureHeld();
      theirs.unlock();
    });
  }

  @Test
  @Rule({"L9", "L10"})
  void aRevokedHolderGetsAMessage() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.onLeaseChange(event -> changes.add(event.state()));
    mine.lock();

    assertTrue(theirs.forceUnlock());

    // With moved time no time passes here. Only the message can have reported the loss.
    Await.until("the listener got the loss", () -> changes.contains(LeaseState.LOST));
    assertEquals(LeaseState.LOST, mine.leaseState());
    assertThrows(LeaseLostException.class, mine::unlock);
  }
}
