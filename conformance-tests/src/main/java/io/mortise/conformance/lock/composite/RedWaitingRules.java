package io.mortise.conformance.lock.composite;

import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.LockKit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockServiceClosedException;
import io.mortise.RedLock;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The majority's lock: how it is waited for. */
@Rule("L16")
public abstract class RedWaitingRules extends RedParties {
  private static final Duration SHORT = Duration.ofMillis(500);

  /** Long enough for a waiter to ask again, and too short for a second wait. */
  private static final Duration WAIT = Duration.ofMillis(2_400);

  protected RedWaitingRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L5", "L10"})
  void oneMemberIsAMajorityOfOne() {
    Party mine = party();
    RedLock held = RedLock.of(mine.members.get(0));
    RedLock wanted = RedLock.of(party().members.get(0));
    held.lock();
    CompletableFuture<Optional<Lease>> timed = wanted.async().tryAcquire(SECOND);
    passTimeUntil("its time is over", SECOND.multipliedBy(2), timed::isDone);
    assertTrue(timed.join().isEmpty());

    CompletableFuture<Lease> waits = wanted.async().acquire();
    Await.until("it waits", () -> waiting() == 1);
    held.unlock();
    passTimeUntil("it has it", SECOND, waits::isDone);
    waits.join().close();
    mine.awaitFree();
  }

  /**
   * Two members are held by somebody who does not leave: a client that is gone, or another lock.
   */
  @Test
  @Rule("L10")
  void whatAMinorityKeepsDoesNotDelayWhoWaits() {
    takeAlone(0, 1);
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    CompletableFuture<Lease> first = theirs.lock.async().acquire();
    CompletableFuture<Lease> second = party().lock.async().acquire();
    Await.until("they wait", () -> waiting() >= 2);
    mine.lock.unlock();
    passTimeUntil("one has it", SHORT, () -> first.isDone() || second.isDone());
    assertFalse(first.isDone() && second.isDone());
    (first.isDone() ? first : second).join().close();
    passTimeUntil("the other has it", SHORT, () -> first.isDone() && second.isDone());
    (first.join().isValid() ? first : second).join().close();
    Await.until("only those two are held", () -> mine.lockedMembers() == 2);
  }

  /** Without a release there is no grant either. */
  @Test
  @Rule({"L5", "L10"})
  void whoseTimeIsOverTriesOnceMore() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    CompletableFuture<Optional<Lease>> timed = theirs.lock.async().tryAcquire(SECOND);
    Await.until("it waits", () -> waiting() > 0);
    for (int node = 0; node < NODES; node++) {
      runOn(key(node, "lock"), "return {redis.call('DEL', KEYS[1])}");
    }
    passTimeUntil("its time is over", SECOND.multipliedBy(2), timed::isDone);
    timed.join().orElseThrow().close();
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    theirs.awaitFree();
  }

  @Test
  @Rule("L17")
  void closingAnyMembersServiceWakesWhoWaits() {
    Party mine = party();
    mine.lock.lock();
    for (int node = 0; node < NODES; node++) {
      Party theirs = party();
      List<Contender> waiters =
          List.of(
              contender(() -> theirs.lock.tryLock(1, TimeUnit.HOURS)),
              contender(() -> {
                theirs.lock.lock();
                return true;
              }),
              contender(() -> {
                theirs.lock.lockInterruptibly();
                return true;
              }));

      theirs.services.get(node).close();

      for (Contender waiter : waiters) {
        assertInstanceOf(LockServiceClosedException.class, waiter.failure());
      }
      assertThrows(LockServiceClosedException.class, theirs.lock::tryLock);
      assertThrows(LockServiceClosedException.class, theirs.lock::lock);
    }
    Await.until("nobody waits", () -> waiting() == 0);
    mine.lock.unlock();
    mine.awaitFree();
  }

  @Test
  @Rule("L17")
  void closingWakesWhoTriesAgainAndAgain() {
    Party mine = party();
    mine.cut(1, 2, 3);
    CompletableFuture<Optional<Lease>> timed = mine.lock.async().tryAcquire(Duration.ofHours(1));
    passTime(SECOND);
    assertFalse(timed.isDone());

    mine.services.get(4).close();

    assertInstanceOf(LockServiceClosedException.class, Await.failure(timed));
  }

  /** Also of those that say so when the round is lost already. */
  @Test
  @Rule("L10")
  void whoWaitsStandsInTheQueuesOfAllMembersThatAreTaken() {
    Party mine = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);

    CompletableFuture<Lease> waits = party().lock.async().acquire();

    Await.until("it waits", () -> waiting() == NODES);
    waits.cancel(false);
    mine.lock.unlock();
    mine.awaitFree();
  }

  /** Its re-check is out when the time is over. */
  @Test
  @Rule({"L5", "L15"})
  void aMemberThatIsSilentAtTheDeadlineIsNotWaitedFor() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    CompletableFuture<Optional<Lease>> timed = theirs.lock.async().tryAcquire(WAIT);
    Await.until("it waits", () -> waiting() == NODES);
    HeldCall silent = theirs.links.get(0).hold("acquire");
    passTimeUntil("it asks again", WAIT, silent::isSent);

    passTimeUntil("its time is over", WAIT.plus(SECOND), timed::isDone);
    assertTrue(timed.join().isEmpty());

    silent.arrive();
    Await.until("nobody waits", () -> waiting() == 0);
    mine.lock.unlock();
    mine.awaitFree();
  }

  /** Two questions of one attempt would refuse the lock to each other. */
  @Test
  @Rule({"L10", "L19"})
  void aMemberWhoseAnswerIsOutIsNotAskedOnceMore() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    HeldCall slow = theirs.links.get(0).hold("acquire");
    HeldCall again = theirs.links.get(0).hold("acquire");
    CompletableFuture<Lease> waits = theirs.lock.withMemberTimeout(SECONDS).async().acquire();
    Await.until("it waits", () -> waiting() == NODES - 1);

    mine.lock.unlock();

    passTimeUntil("it has it", SECOND, waits::isDone);
    assertFalse(again.isSent());
    slow.pass();
    Await.until("a late answer counts", () -> isHeldOn(0));
    waits.join().close();
    theirs.awaitFree();
  }
}
