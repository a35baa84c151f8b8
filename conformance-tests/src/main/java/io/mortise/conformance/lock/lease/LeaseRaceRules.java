package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Races: a reply against a close, a time-out or a cancellation, and a callback against its own
 * thread.
 */
public abstract class LeaseRaceRules extends LeaseFixture {
  protected LeaseRaceRules(LockKit kit) {
    super(kit);
  }

  // Closing

  @Test
  @Rule({"L1", "L17"})
  void whatClosingGivesBackIsNoLeaseWhenItsAnswerComes() {
    HeldCall taking = link.hold("acquire");
    HeldCall leaving = link.hold("leave");
    LockService closing = linked();
    CompletableFuture<Lease> asked = closing.getLock(name).async().acquire();
    taking.arrive();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(closing::close, task -> new Thread(task).start());
    leaving.arrive();

    taking.reply();

    assertInstanceOf(LockServiceClosedException.class, Await.failure(asked));
    assertTrue(lock().tryLock());
    leaving.reply();
    Await.value(closed);
  }

  @Test
  @Rule({"L15", "L17"})
  void aClosedServiceExtendsNothing() {
    LockService closing = service();
    Lease lease = Await.value(closing.getLock(name).async().acquire());
    closing.close();
    assertFalse(lease.extend(LEASE), "the released lease is over");
    assertFalse(Await.value(lease.extendAsync(LEASE)));
    assertInstanceOf(LeaseLostException.class, Await.failure(lease.releaseAsync()));
  }

  // Time that ends, and replies that come late

  @Test
  @Rule("L5")
  void anAnswerOutWhenTheTimeEndsDecides() {
    HeldCall taking = link.hold("acquire");
    CompletableFuture<Optional<Lease>> timed = linked().getLock(name).async().tryAcquire(SECOND);
    taking.arrive();
    passTime(SECOND.plusMillis(200));
    assertFalse(timed.isDone());

    taking.reply();

    Await.value(timed).orElseThrow().close();
    assertFree();
  }

  @Test
  @Rule({"L5", "L14"})
  void aFailureThatIsPendingWhenTheTimeEndsIsReported() {
    HeldCall taking = link.hold("acquire");
    CompletableFuture<Optional<Lease>> timed = linked().getLock(name).async().tryAcquire(SECOND);
    taking.arrive();
    passTime(SECOND.plusMillis(200));
    taking.lose();
    assertInstanceOf(OutcomeUnknownException.class, Await.failure(timed));
    assertFree();
  }

  @Test
  @Rule({"L5", "L15"})
  void aRequestThatQueuesWhenItsTimeIsOverLeavesTheQueue() {
    DistributedLock holder = lock();
    holder.lock();
    HeldCall joining = link.hold("acquire");
    CompletableFuture<Optional<Lease>> timed = linked().getLock(name).async().tryAcquire(SECOND);
    joining.arrive();
    awaitQueued(1);
    passTime(SECOND.plusMillis(200));

    joining.reply();

    assertEquals(Optional.empty(), Await.value(timed));
    awaitQueued(0);
    holder.unlock();
  }

  @Test
  @Rule("L10")
  void aMessageThatOvertakesTheAnswerIsNotForgotten() {
    DistributedLock holder = lock();
    holder.lock();
    HeldCall joining = link.hold("acquire");
    CompletableFuture<Lease> waiting = linked().getLock(name).async().acquire();
    joining.arrive();
    holder.unlock();
    DistributedLock other = lock();
    Await.until("the lock was granted", () -> !other.tryLock());

    joining.reply();

    Await.value(waiting).close();
    assertFree();
  }

  @Test
  @Rule({"L1", "L14"})
  void anAnswerThatComesAfterItsLeaseEndedIsNoLease() {
    Duration half = Duration.ofMillis(500);
    HeldCall late = link.hold("acquire");
    DistributedLock lock = linked().getLock(name);
    CompletableFuture<Optional<Lease>> tried = lock.withLease(half).async().tryAcquire();
    late.awaitSent();
    passTime(half.plusMillis(100));
    late.arrive();
    late.reply();
    assertInstanceOf(BackendUnavailableException.class, Await.failure(tried));
    assertFree();
  }

  @Test
  @Rule("L14")
  void aWaiterRidesOutALostReplyAfterALateReply() {
    Duration half = Duration.ofMillis(500);
    HeldCall late = link.hold("acquire");
    DistributedLock lock = linked().getLock(name);
    CompletableFuture<Lease> waiting = lock.withLease(half).async().acquire();
    late.arrive();
    passTime(half.plusMillis(100));
    link.set("acquire", Link.REPLY_LOST, 1);
    late.reply();
    passTimeUntil("the request is repeated", SECONDS, waiting::isDone);
    assertFalse(waiting.isCompletedExceptionally());
  }

  @Test
  @Rule({"L14", "L18"})
  void anAnswerThatIsNoneIsAnUnknownOutcome() {
    HeldCall strange = link.hold("acquire");
    CompletableFuture<Optional<Lease>> tried = linked().getLock(name).async().tryAcquire();
    strange.awaitSent();
    strange.heard().complete(List.of("NONSENSE"));
    assertInstanceOf(OutcomeUnknownException.class, Await.failure(tried));
    assertFree();
  }
}
