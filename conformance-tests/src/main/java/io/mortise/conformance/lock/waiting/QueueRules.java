package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The queue between services, whose messages get lost, come early, late or twice. Leases are long,
 * so a waiter gets the lock only by a message or by its own re-check.
 */
public abstract class QueueRules extends LockRules {
  private static final Duration LEASE = Duration.ofHours(1);

  /** Longer than any re-check, and shorter than an unanswered grant. */
  private static final Duration RECHECK = Duration.ofMillis(2500);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected QueueRules(LockKit kit) {
    super(kit);
  }

  private LockService linkedService() {
    return service(link, builder -> builder.leaseTime(LEASE));
  }

  private DistributedLock linked() {
    return linkedService().getLock(name);
  }

  /** A lock that the calling thread holds. */
  private DistributedLock held() {
    DistributedLock lock = lockWithLease(LEASE);
    lock.lock();
    return lock;
  }

  /** Waits until the store no longer counts the service as a subscriber. */
  private void awaitUnheard(LockService service) {
    String probe = "return {redis.call('PUBLISH', KEYS[1], 'probe')}";
    Await.until(
        "the mailbox has no subscriber",
        () -> runOn("mortise:mail:" + service.clientId(), probe).equals(List.<Object>of(0L)));
  }

  @Test
  @Rule({"L10", "A2"})
  void aNewcomerThatFindsTheLockFreeGrantsItToTheFirstWaiter() {
    held();
    DistributedLock theirs = lock();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    DistributedLock third = lock();

    deleteKey();
    Contender newcomer = entering(third);

    assertTrue(waiter.result());
    assertFalse(newcomer.isInside());
    waiter.leave(theirs::unlock);
    newcomer.leave(third::unlock);
  }

  @Test
  @Rule({"L10", "L11", "A3"})
  void aMissingMessageCostsARecheckAndNotThePlace() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    Contender unlucky = entering(theirs);
    awaitQueued(1);
    DistributedLock third = lock();
    Contender behind = entering(third);
    awaitQueued(2);

    link.mail().set(Fate.LATE);
    mine.unlock();
    passTimeUntil("the waiter has asked without a message", RECHECK, unlucky::isInside);
    link.mail().deliver();

    assertFalse(behind.isInside());
    unlucky.leave(theirs::unlock);
    behind.leave(third::unlock);
  }

  @Test
  @Rule({"L1", "L10", "L12"})
  void aGrantedLockIsKeptForItsWaiter() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    HeldCall claim = link.hold("acquire");

    mine.unlock();
    claim.awaitSent();

    assertTrue(
        mine.remainTimeToLive() > 1000, "long enough for the confirmation of a slow process");
    assertFalse(mine.tryLock(), "no other thread acquires the lock meanwhile");
    assertFalse(waiter.isInside(), "a message alone gives no hold");
    claim.pass();
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "A6"})
  void aGrantThatNobodyWaitsForIsGivenBackAtOnce() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    Contender quitter =
        contender(() -> {
          theirs.lockInterruptibly();
          return true;
        });
    awaitQueued(1);
    DistributedLock third = lock();
    Contender next = entering(third);
    awaitQueued(2);
    HeldCall leaving = link.hold("leave");
    quitter.interrupt();
    leaving.awaitSent();

    mine.unlock();

    assertTrue(next.result());
    leaving.pass();
    assertInstanceOf(InterruptedException.class, quitter.failure());
    next.leave(third::unlock);
  }

  @Test
  @Rule({"L3", "A6"})
  void aGrantsMessageThatComesDuringTheUnlockTakesNothingFromIt() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    link.mail().set(Fate.LATE);
    mine.unlock();
    passTimeUntil("the waiter asks without a message", SECOND.multipliedBy(4), waiter::isInside);
    HeldCall releasing = link.hold("leave");
    waiter.startLeaving(theirs::unlock);
    releasing.awaitSent();

    link.mail().deliver();
    assertNotEquals("ABSENT", releasing.pass().get(0), "the lock was released before");

    waiter.awaitLeft();
  }

  @Test
  @Rule({"L10", "L11", "A9"})
  void aWaiterThatIsCutOffIsPassedOverAndComesBackToItsPlace() {
    assumeTrue(backend().info().publishCounts(), "the store does not know who hears a message");
    DistributedLock mine = held();
    LockService cutOff = linkedService();
    DistributedLock theirs = cutOff.getLock(name);
    Contender first = entering(theirs);
    awaitQueued(1);
    DistributedLock other = lock();
    Contender second = entering(other);
    awaitQueued(2);

    link.mail().cut();
    awaitUnheard(cutOff);
    mine.unlock();
    assertTrue(second.result());
    assertFalse(first.isInside());
    passTime(Duration.ofMillis(1)); // so that no two tickets are equal
    DistributedLock last = lock();
    Contender third = entering(last);
    Await.until("the third thread is in the queue", () -> isQueued(1) || isQueued(2));
    link.mail().join();
    awaitQueued(2);
    second.leave(other::unlock);

    assertTrue(first.result(), "the ticket of the first is older than that of the third");
    assertFalse(third.isInside());
    first.leave(theirs::unlock);
    third.leave(last::unlock);
  }

  @Test
  @Rule({"L9", "A13"})
  void aForcedUnlockIsReportedByMessage() {
    DistributedLock mine = held();

    assertTrue(lock().forceUnlock());

    // The next renewal would report it only after a third of the lease.
    Await.until("the holder knows", () -> mine.leaseState() == LeaseState.LOST);
  }

  @Test
  @Rule("L10")
  void aGrantThatComesBeforeTheAnswerIsNotMissed() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    link.mail().set(Fate.TWICE);
    HeldCall asking = link.hold("acquire");
    Contender waiter = entering(theirs);
    assertEquals("WAIT", asking.arrive().get(0));

    mine.unlock();
    Await.until("the message has come", () -> link.mail().kept() == 1);
    asking.reply();

    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L1", "A6"})
  void aMessageThatComesAgainLongAfterTakesNothingAway() {
    DistributedLock mine = held();
    DistributedLock theirs = linked();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    link.mail().set(Fate.TWICE);
    mine.unlock();
    Await.until("the message has come", () -> link.mail().kept() == 1);
    waiter.leave(theirs::unlock);
    mine.lock();
    HeldCall answer = link.hold("leave");

    link.mail().deliver();

    assertEquals("ABSENT", answer.pass().get(0));
    assertFalse(theirs.tryLock());
    mine.unlock();
  }

  @Test
  @Rule({"L10", "L11"})
  void afterAGapInItsMessagesEveryWaiterAsksAtOnce() {
    LockService holding = service();
    LockService waiting = linkedService();
    List<String> names = List.of(name, name + "-b", name + "-c");
    names.forEach(each -> holding.getLock(each).lock());
    List<Contender> waiters = names.stream().map(each -> entering(waiting.getLock(each))).toList();
    names.forEach(each -> Await.until(each + " has a waiter", () -> isQueued(each, 1)));

    link.mail().cut();
    awaitUnheard(waiting);
    names.forEach(each -> holding.getLock(each).unlock());
    link.mail().join();

    for (int i = 0; i < names.size(); i++) {
      assertTrue(waiters.get(i).result());
      waiters.get(i).leave(waiting.getLock(names.get(i))::unlock);
    }
  }

  /** Messages come in order, so the answer to the last one comes after those before. */
  @Test
  @Rule({"L1", "A14", "B12"})
  void aMessageOfALaterVersionMeansNothing() {
    DistributedLock mine = held();
    String holder = mine.holder().orElseThrow().id();
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);
    Contender waiter = entering(service.getLock(name));
    awaitQueued(1);
    String last = service.clientId() + ":99:1";
    spy.forget();

    for (String kind : List.of("moved", "moved 17", "granted", "grants 1 0", "")) {
      mail(service, kind + '|' + holder + "|mortise:lock:{" + name + '}');
      mail(service, kind + '|' + service.clientId() + ":98:1|mortise:lock:{" + name + '}');
    }
    mail(service, "moved");
    mail(service, "moved|" + holder);
    mail(service, "grant|" + last + "|mortise:lock:{" + name + '}');

    passTimeUntil("the grant is given back", SECOND, () -> !spy.sent("leave").isEmpty());
    List<String> left = spy.sent("leave").stream().map(call -> call.args().get(0)).toList();
    assertEquals(List.of(last), left);
    mine.ensureHeld();
    assertEquals(holder, mine.holder().orElseThrow().id());
    assertFalse(waiter.isInside());
    mine.unlock();
    assertTrue(waiter.result());
    waiter.leave(service.getLock(name)::unlock);
  }

  private void mail(LockService service, String message) {
    String publish = "return {redis.call('PUBLISH', KEYS[1], '" + message + "')}";
    runOn("mortise:mail:" + service.clientId(), publish);
  }
}
