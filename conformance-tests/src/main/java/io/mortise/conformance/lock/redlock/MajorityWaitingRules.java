package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockServiceClosedException;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The Redlock: waiting. */
@Rule("L16")
public abstract class MajorityWaitingRules extends MajorityFixture {
  private static final Duration SHORT = Duration.ofMillis(500);

  /** Long enough for a waiter to ask again, and too short for a second wait. */
  private static final Duration WAIT = Duration.ofMillis(2_400);

  private static final int CONTENDERS = 8;
  private static final int HOLDS = 200;

  protected MajorityWaitingRules(LockKit kit) {
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
    passTimeUntil("the attempt's time is over", SECOND.multipliedBy(2), timed::isDone);
    assertTrue(timed.join().isEmpty());

    CompletableFuture<Lease> waits = wanted.async().acquire();
    Await.until("the request waits", () -> waiting() == 1);
    held.unlock();
    passTimeUntil("the waiter holds the lock", SECOND, waits::isDone);
    waits.join().close();
    mine.awaitFree();
  }

  /**
   * Another client holds two members and does not release them: it is gone, or uses another lock.
   */
  @Test
  @Rule("L10")
  void aMinorityOfHeldMembersDoesNotDelayAWaiter() {
    takeAlone(0, 1);
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    CompletableFuture<Lease> first = theirs.lock.async().acquire();
    CompletableFuture<Lease> second = party().lock.async().acquire();
    Await.until("the threads wait", () -> waiting() >= 2);
    mine.lock.unlock();
    passTimeUntil("one waiter holds the lock", SHORT, () -> first.isDone() || second.isDone());
    assertFalse(first.isDone() && second.isDone());
    (first.isDone() ? first : second).join().close();
    passTimeUntil(
        "both waiters have held the lock", SHORT, () -> first.isDone() && second.isDone());
    (first.join().isValid() ? first : second).join().close();
    Await.until("only the two foreign holds are left", () -> mine.lockedMembers() == 2);
  }

  /** The keys are deleted without a release, so no grant comes. */
  @Test
  @Rule({"L5", "L10"})
  void aWaiterTriesOnceMoreAtItsDeadline() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    CompletableFuture<Optional<Lease>> timed = theirs.lock.async().tryAcquire(SECOND);
    Await.until("the request waits", () -> waiting() > 0);
    for (int node = 0; node < NODES; node++) {
      runOn(key(node, "lock"), "return {redis.call('DEL', KEYS[1])}");
    }
    passTimeUntil("the attempt's time is over", SECOND.multipliedBy(2), timed::isDone);
    timed.join().orElseThrow().close();
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    theirs.awaitFree();
  }

  @Test
  @Rule("L17")
  void closingAnyMembersServiceWakesTheWaiters() {
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
    Await.until("no thread waits", () -> waiting() == 0);
    mine.lock.unlock();
    mine.awaitFree();
  }

  @Test
  @Rule("L17")
  void closingEndsRepeatedAttempts() {
    Party mine = party();
    mine.cut(1, 2, 3);
    CompletableFuture<Optional<Lease>> timed = mine.lock.async().tryAcquire(Duration.ofHours(1));
    passTime(SECOND);
    assertFalse(timed.isDone());

    mine.services.get(4).close();

    assertInstanceOf(LockServiceClosedException.class, Await.failure(timed));
  }

  /**
   * The others have no queue, so the owner of a gate may try them. A member that refuses after the
   * round is lost may be a gate too.
   */
  @Test
  @Rule("L10")
  void aWaiterIsInTheQueuesOfTheGates() {
    Party mine = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);

    CompletableFuture<Lease> waits = party().lock.async().acquire();

    Await.until("the request waits", () -> waiting() == GATES);
    waits.cancel(false);
    mine.lock.unlock();
    mine.awaitFree();
  }

  /** The re-check of that member has no reply when the deadline comes. */
  @Test
  @Rule({"L5", "L15"})
  void aMemberThatIsSilentAtTheDeadlineIsNotWaitedFor() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    CompletableFuture<Optional<Lease>> timed = theirs.lock.async().tryAcquire(WAIT);
    Await.until("the request waits", () -> waiting() == GATES);
    HeldCall silent = theirs.links.get(0).hold("acquire");
    passTimeUntil("the request asks again", WAIT, silent::isSent);

    passTimeUntil("the attempt's time is over", WAIT.plus(SECOND), timed::isDone);
    assertTrue(timed.join().isEmpty());

    silent.arrive();
    Await.until("no thread waits", () -> waiting() == 0);
    mine.lock.unlock();
    mine.awaitFree();
  }

  /** Two commands of one attempt would refuse the lock to each other. */
  @Test
  @Rule({"L10", "L19"})
  void aMemberThatHasNotRepliedIsNotAskedOnceMore() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    HeldCall slow = theirs.links.get(0).hold("acquire");
    HeldCall again = theirs.links.get(0).hold("acquire");
    CompletableFuture<Lease> waits = theirs.lock.withMemberTimeout(SECONDS).async().acquire();
    Await.until("the request waits", () -> waiting() == GATES - 1);

    forceOpen(
        3, 4); // if it found them locked for a moment more, it would wait for the first member
    mine.lock.unlock();

    passTimeUntil("the waiter holds the lock", SECOND, waits::isDone);
    assertFalse(again.isSent());
    slow.pass();
    Await.until("a late reply counts", () -> isHeldOn(0));
    waits.join().close();
    theirs.awaitFree();
  }

  /** Contenders that kept what they got by turns had the lock four times a second. */
  @Test
  @Rule({"L5", "L10"})
  void contendersDoNotSplitTheMembersThatAreLeft() {
    List<Party> parties = List.of(party(), party());
    parties.forEach(each -> each.cut(1, 3));
    AtomicInteger holds = new AtomicInteger();
    List<CompletableFuture<Void>> contenders =
        IntStream.range(0, CONTENDERS)
            .mapToObj(i -> contend(parties.get(i % 2).lock, holds))
            .toList();

    passTimeUntil("the contenders have had it", SECONDS, () -> holds.get() >= HOLDS);

    passTimeUntil(
        "all are done", SECONDS, () -> contenders.stream().allMatch(CompletableFuture::isDone));
    parties.get(0).mend(1, 3);
    parties.get(0).awaitFree();
  }

  /** Acquires and releases the lock until it was held often enough. */
  private static CompletableFuture<Void> contend(RedLock lock, AtomicInteger holds) {
    if (holds.get() >= HOLDS) {
      return CompletableFuture.completedFuture(null);
    }
    return lock.async()
        .acquire()
        .thenCompose(lease -> {
          holds.incrementAndGet();
          return lease.releaseAsync();
        })
        .thenCompose(released -> contend(lock, holds));
  }
}
