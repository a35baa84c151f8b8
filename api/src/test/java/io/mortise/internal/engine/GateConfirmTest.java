package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockException;
import io.mortise.OutcomeUnknownException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The agent hears of a grant while it sleeps, and confirms it. */
@Tag("L10")
class GateConfirmTest extends GateFixture {
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final Duration RECHECK = Duration.ofSeconds(3);

  private AskedCommand sleeps() {
    AskedCommand acquire = store.next("acquire").queued();
    time.awaitParked(a.thread());
    return acquire;
  }

  private void granted(AskedCommand acquire) {
    engine.mailbox().onMessage("grant 1 0|" + acquire.id() + '|' + keys.lock());
  }

  /** The message of the grant comes, and the agent confirms it. */
  private AskedCommand confirmed(AskedCommand acquire) {
    granted(acquire);
    return store.next("acquire");
  }

  /** As for every command: the store may have begun the lease as soon as it was sent. */
  @Test
  @Tag("L8")
  void theLeaseCountsFromWhenTheConfirmationWasSent() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    time.advance(WAIT);
    AskedCommand confirmation = confirmed(acquire);
    time.pause(Duration.ofSeconds(1));

    confirmation.heldAfterOthers();

    assertTrue(GateThread.get(locking));
    long left = acquisition(acquire.id()).lease().remaining(time.nanoTime());
    long all = LEASE.minusSeconds(1).toNanos() - HeldLease.STORE_TICK;
    assertEquals(all, left);
  }

  @Test
  void aSecondMessageSendsNoSecondConfirmation() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);

    granted(acquire);

    store.assertNothingAsked();
    confirmation.heldAfterOthers();
    assertTrue(GateThread.get(locking));
  }

  @Test
  void aGrantThatWasTakenBackIsWaitedForAgain() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    granted(acquire);

    assertEquals(acquire.id(), sleeps().id());

    confirmed(acquire).heldAfterOthers();
    assertTrue(GateThread.get(locking));
  }

  @Test
  @Tag("L5")
  void aTimeLimitThatPassesMeanwhileDoesNotEndTheAttempt() {
    Future<Boolean> trying = a.does(() -> lock.tryLock(WAIT));
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);
    time.advance(WAIT.multipliedBy(2));
    assertFalse(trying.isDone());

    confirmation.heldAfterOthers();

    assertTrue(GateThread.get(trying));
  }

  @Test
  @Tag("L5")
  void anAttemptWhoseTimeIsOverGivesUpAfterTheReply() {
    Future<Boolean> trying = a.does(() -> lock.tryLock(WAIT));
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);
    time.advance(WAIT.multipliedBy(2));

    confirmation.queued();

    assertEquals(acquire.id(), store.next("leave").absent().id());
    assertFalse(GateThread.get(trying));
  }

  @Test
  @Tag("L6")
  void anInterruptThatComesMeanwhileStaysSet() {
    Future<Boolean> locking =
        a.does(() -> {
          lock.lockInterruptibly();
          return Thread.interrupted();
        });
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);
    a.thread().interrupt();

    confirmation.heldAfterOthers();

    assertTrue(GateThread.get(locking));
  }

  @Test
  void anAgentThatIsAwakeAsksItself() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    time.advance(RECHECK);
    AskedCommand check = store.next("acquire");

    granted(acquire);

    store.assertNothingAsked();
    check.queued();
    store.next("acquire").heldAfterOthers();
    assertTrue(GateThread.get(locking));
  }

  @Test
  @Tag("L14")
  void aConfirmationWithoutAnAnswerIsAskedAgain() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    confirmed(acquire).lost();
    time.awaitParked(a.thread());
    time.advance(Duration.ofSeconds(1));

    assertEquals(acquire.id(), store.next("acquire").heldAfterOthers().id());

    assertTrue(GateThread.get(locking));
  }

  /** Else a lock that was given up would be held by a command that is still on its way. */
  @Test
  @Tag("L14")
  void anAttemptThatGivesUpAfterALostConfirmationLeavesATombstone() {
    Future<Boolean> trying = a.does(() -> lock.tryLock(WAIT));
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);
    time.advance(WAIT.multipliedBy(2));

    confirmation.lost();

    AskedCommand leave = store.next("leave");
    assertTrue(leave.leavesTombstone());
    leave.absent();
    assertInstanceOf(
        OutcomeUnknownException.class, GateThread.failure(LockException.class, trying));
  }

  @Test
  @Tag("L18")
  void aForcedUnlockMeanwhileMakesItAskAnew() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = sleeps();
    AskedCommand confirmation = confirmed(acquire);
    forcedOpen(acquisition(acquire.id()));

    confirmation.heldAfterOthers();

    store.next("leave").absent();
    AskedCommand anew = store.next("acquire").heldAfterOthers();
    assertFalse(anew.id().equals(acquire.id()));
    assertTrue(GateThread.get(locking));
  }

  @Test
  @Tag("L15")
  void theNextAgentIsConfirmedForToo() {
    Future<Boolean> first = a.does(() -> lock.tryLock(WAIT));
    AskedCommand acquire = sleeps();
    Future<Boolean> second = waits(b);
    time.advance(WAIT);
    assertFalse(GateThread.get(first));
    time.awaitParked(b.thread());

    granted(acquire);

    assertEquals(acquire.id(), store.next("acquire").heldAfterOthers().id());
    assertTrue(GateThread.get(second));
  }
}
