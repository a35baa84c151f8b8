package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Lease requests of a multi-lock, without a thread: all members or none. */
public abstract class MultiRequestRules extends MultiFixture {
  private static final Duration SECONDS = Duration.ofSeconds(10);

  private final FaultyBackend linkA = new FaultyBackend(this::backend);
  private final FaultyBackend linkB = new FaultyBackend(this::backend);

  protected MultiRequestRules(LockKit kit) {
    super(kit);
  }

  private Two linked() {
    return new Two(
        service(linkA, builder -> builder).getLock(name),
        service(linkB, builder -> builder).getLock(nameB()));
  }

  private static void awaitFree(Two two) {
    Await.until("both are free", () -> !two.isAnyLocked());
  }

  // Acquiring

  @Test
  @Rule({"L1", "L19"})
  void aRequestThatWaitsAsksAllMembersBeforeAnyHasReplied() {
    Two mine = linked();
    HeldCall first = linkA.hold("acquire");
    HeldCall second = linkB.hold("acquire");
    CompletableFuture<Lease> asked = mine.both().async().acquire();
    first.awaitSent();
    second.awaitSent();
    second.pass();
    assertFalse(asked.isDone());
    first.pass();
    Await.value(asked).close();
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule({"L1", "L19"})
  void aThreadThatWaitsAsksAllMembersBeforeAnyHasReplied() {
    Two mine = linked();
    HeldCall first = linkA.hold("acquire");
    HeldCall second = linkB.hold("acquire");
    Contender thread = Contender.start(locking(mine.both()));
    first.awaitSent();
    second.pass();
    first.pass();
    assertTrue(thread.result());
    thread.leave(mine.both()::unlock);
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule({"L1", "L15"})
  void oneBusyMemberIsNoneTaken() throws InterruptedException {
    Two mine = two();
    for (DistributedLock busy : List.of(lock(), service().getLock(nameB()))) {
      busy.lock();
      assertEquals(Optional.empty(), Await.value(mine.both().async().tryAcquire()));
      assertEquals(Optional.empty(), mine.both().tryAcquire(Duration.ZERO));
      busy.unlock();
      awaitFree(mine);
    }
    mine.both().acquire().close();
    awaitFree(mine);
  }

  @Test
  @Rule({"L1", "L10"})
  void itWaitsForTheFirstWithNothingLargerInHand() {
    Two theirs = two();
    theirs.a().lock();
    CompletableFuture<Lease> waiting = two().both().async().acquire();
    awaitQueued(1);
    Await.until("the larger name is released", () -> !theirs.b().isLocked());
    theirs.b().lock();
    theirs.a().unlock();
    Await.until("the request waits for the larger name", () -> isQueued(nameB(), 1));
    assertTrue(theirs.a().isLocked(), "the request keeps the smaller name");
    theirs.b().unlock();
    Await.value(waiting).close();
    awaitFree(theirs);
  }

  @Test
  @Rule({"L4", "L15"})
  void cancellingWhileItWaitsGivesBackWhatItHas() {
    Two theirs = two();
    theirs.b().lock();
    CompletableFuture<Lease> waiting = two().both().async().acquire();
    Await.until("the request waits for the larger name", () -> isQueued(nameB(), 1));
    assertTrue(theirs.a().isLocked());

    waiting.cancel(false);

    Await.until("the request has left the queue", () -> isQueued(nameB(), 0));
    Await.until("the smaller name is free", () -> !theirs.a().isLocked());
    theirs.b().unlock();
    awaitFree(theirs);
  }

  @Test
  @Rule({"L4", "L15"})
  void cancellingWhileAllAreAskedGivesBackWhatArrives() {
    Two mine = linked();
    HeldCall first = linkA.hold("acquire");
    CompletableFuture<Lease> asked = mine.both().async().acquire();
    first.arrive();
    Await.until("the other member is held", () -> two().b().isLocked());

    asked.cancel(false);

    awaitFree(two());
    first.reply();
    awaitFree(two());
  }

  @Test
  @Rule("L5")
  void oneTimeCoversAllMembers() {
    Two theirs = two();
    theirs.both().lock();
    CompletableFuture<Optional<Lease>> timed = two().both().async().tryAcquire(SECOND);
    awaitQueued(1);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertEquals(Optional.empty(), Await.value(timed));
    awaitQueued(0);
    theirs.both().unlock();
    awaitFree(theirs);
  }

  @Test
  @Rule({"L1", "L9"})
  void aMemberLostBeforeTheLastIsTakenIsTakenAgain() {
    assumeTrue(backend().info().anyKeys(), "messages of two masters come in any order");
    Two theirs = two();
    theirs.b().lock();
    CompletableFuture<Lease> waiting = two().both().async().acquire();
    Await.until("the request waits for the larger name", () -> isQueued(nameB(), 1));
    assertTrue(theirs.a().forceUnlock());
    Contender thief =
        Contender.start(() -> {
          theirs.a().lock();
          return true;
        });
    assertTrue(thief.result());
    theirs.b().unlock();
    awaitQueued(1);
    assertFalse(waiting.isDone());

    thief.leave(theirs.a()::unlock);

    try (Lease lease = Await.value(waiting)) {
      assertTrue(lease.isValid());
      assertTrue(theirs.a().isLocked() && theirs.b().isLocked());
    }
    awaitFree(theirs);
  }

  @Test
  @Rule({"L15", "L17"})
  void aMemberOfAClosedServiceEndsItAtOnce() {
    LockService closed = service();
    DistributedLock a = lock();
    MultiLock both = MultiLock.of(a, closed.getLock(nameB()));
    DistributedLock busy = lock();
    busy.lock();
    closed.close();
    assertInstanceOf(LockServiceClosedException.class, Await.failure(both.async().acquire()));
    assertThrows(LockServiceClosedException.class, both::acquire);
    busy.unlock();
    awaitQueued(0);
    Await.until("no member is held", () -> !busy.isLocked());
  }

  @Test
  @Rule({"L1", "L10"})
  void withAFixedLeaseItWaitsWithNothingInHand() {
    Two theirs = two();
    theirs.b().lock();
    CompletableFuture<Lease> waiting = two().both().withLease(LONG).async().acquire();
    Await.until("the request waits for the larger name", () -> isQueued(nameB(), 1));
    Await.until("the smaller name is free", () -> !theirs.a().isLocked());
    theirs.b().unlock();
    Await.value(waiting).close();
    awaitFree(theirs);
  }

  @Test
  @Rule({"L1", "L10"})
  void withAMaxHoldItWaitsWithNothingInHand() {
    for (MultiLock both : limited()) {
      Two theirs = two();
      theirs.b().lock();
      CompletableFuture<Lease> waiting = both.async().acquire();
      Await.until("the request waits for the larger name", () -> isQueued(nameB(), 1));
      Await.until("the smaller name is free", () -> !theirs.a().isLocked());
      theirs.b().unlock();
      Await.value(waiting).close();
      awaitFree(theirs);
    }
  }

  @Test
  @Rule({"L1", "L10"})
  void requestsInOppositeOrdersNeverDeadlock() {
    AtomicInteger inside = new AtomicInteger();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Two mine = two();
      MultiLock both =
          i % 2 == 0 ? MultiLock.of(mine.a(), mine.b()) : MultiLock.of(mine.b(), mine.a());
      all.add(rounds(i < 2 ? both : both.withLease(LONG), inside, 25));
    }
    all.forEach(each -> Await.until("all rounds are made", Duration.ofSeconds(60), each::isDone));
    all.forEach(Await::value);
    awaitFree(two());
  }

  private static CompletableFuture<Void> rounds(MultiLock both, AtomicInteger inside, int left) {
    if (left == 0) {
      return CompletableFuture.completedFuture(null);
    }
    return both.async()
        .acquire()
        .thenCompose(lease -> {
          assertEquals(1, inside.incrementAndGet());
          inside.decrementAndGet();
          return lease.releaseAsync();
        })
        .thenCompose(done -> rounds(both, inside, left - 1));
  }
}
