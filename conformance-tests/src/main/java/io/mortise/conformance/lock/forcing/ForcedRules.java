package io.mortise.conformance.lock.forcing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedReadWriteLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.Forcible;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Forced unlocks: their message and the replies to other commands overtake each other. */
public abstract class ForcedRules extends LockRules {
  /** So long that no renewal reports anything during a test. */
  private static final Duration LEASE = Duration.ofHours(1);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected ForcedRules(LockKit kit) {
    super(kit);
  }

  private LockService linked(Forcible kind) {
    assumeAllowed(kind);
    return service(link, builder -> kind.options(builder).leaseTime(LEASE));
  }

  private void assumeAllowed(Forcible kind) {
    Topology topology = backend().info().topology();
    assumeTrue(
        kind != Forcible.SHARED_WITH_REDISSON || topology == Topology.SINGLE,
        () -> "a " + topology + " refuses locks shared with Redisson");
  }

  private LockService others(Forcible kind) {
    assumeAllowed(kind);
    return service(builder -> kind.options(builder).leaseTime(LEASE));
  }

  private Contender taking(Forcible.Handle wanted) {
    return contender(() -> wanted.take(true));
  }

  private void awaitWaiting(Forcible kind, long waiting) {
    Await.until(waiting + " wait", () -> sizeOf(kind.queue(name)) == waiting);
  }

  /** Another service forces the lock open. Its message comes before any reply. */
  private void forceOpen(Forcible kind, LockService others) {
    link.mail().set(Fate.LATE);
    assertTrue(kind.of(others, name).force());
    Await.until("the message is on its way", () -> link.mail().kept() > 0);
    link.mail().set(Fate.COMES);
    link.mail().deliver();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L9", "Q6"})
  void aRevokedHoldWhoseReplyIsLateWaitsForTheNewHolder(Forcible kind) throws Exception {
    Forcible.Handle mine = kind.of(linked(kind), name);
    LockService others = others(kind);
    Forcible.Handle theirs = kind.against(others, name);
    HeldCall asking = link.hold(kind.script("acquire"));
    Contender waiter = taking(mine);
    asking.arrive();
    forceOpen(kind, others);
    assertTrue(theirs.take(false));

    asking.reply();

    waiter.awaitRest();
    assertFalse(waiter.isInside(), "two threads hold the lock");
    awaitWaiting(kind, 1);
    theirs.giveBack();
    assertTrue(waiter.result());
    assertTrue(mine.isHeldBy(waiter.thread()));
    waiter.leave(mine::giveBack);
    assertFalse(mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L11", "Q6"})
  void aHoldThatIsRevokedDuringItsConfirmationIsTheNextInTheQueue(Forcible kind) throws Exception {
    Forcible.Handle mine = kind.of(linked(kind), name);
    LockService others = others(kind);
    Forcible.Handle theirs = kind.against(others, name);
    assertTrue(theirs.take(false));
    Contender waiter = taking(mine);
    awaitWaiting(kind, 1);
    Forcible.Handle second = kind.against(others(kind), name);
    Contender next = taking(second);
    awaitWaiting(kind, 2);
    Forcible.Handle third = kind.against(others(kind), name);
    Contender behind = taking(third);
    awaitWaiting(kind, 3);
    HeldCall confirming = link.hold(kind.script("acquire"));
    theirs.giveBack();
    confirming.arrive();
    forceOpen(kind, others);
    assertTrue(next.result());

    confirming.reply();

    waiter.awaitRest();
    assertFalse(waiter.isInside(), "two threads hold the lock");
    awaitWaiting(kind, 2);
    next.leave(second::giveBack);
    assertTrue(waiter.result(), "the waiter kept its place");
    assertFalse(behind.isInside());
    waiter.leave(mine::giveBack);
    assertTrue(behind.result());
    behind.leave(third::giveBack);
    assertFalse(mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L5", "L9", "Q6"})
  void aRevokedAttemptWhoseReplyIsLateTakesAFreeLock(Forcible kind) {
    Forcible.Handle mine = kind.of(linked(kind), name);
    LockService others = others(kind);
    HeldCall asking = link.hold(kind.script("acquire"));
    Contender attempt = contender(() -> mine.take(false));
    asking.arrive();
    forceOpen(kind, others);

    asking.reply();

    assertTrue(attempt.result());
    assertTrue(kind.of(others, name).isTaken());
    attempt.leave(mine::giveBack);
    assertFalse(mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L9", "Q6"})
  void aRevokedAttemptWhoseReplyIsLateFailsIfAnotherHoldsTheLock(Forcible kind) throws Exception {
    Forcible.Handle mine = kind.of(linked(kind), name);
    LockService others = others(kind);
    Forcible.Handle theirs = kind.against(others, name);
    HeldCall asking = link.hold(kind.script("acquire"));
    Contender attempt = contender(() -> mine.take(false));
    asking.arrive();
    forceOpen(kind, others);
    assertTrue(theirs.take(false));

    asking.reply();

    assertFalse(attempt.result());
    assertTrue(theirs.isHeldBy(Thread.currentThread()));
    theirs.giveBack();
    assertFalse(mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "RW8"})
  void aForcedUnlockEndsTheHoldsOfItsOwnServiceAtOnce(Forcible kind) {
    Forcible.Handle mine = kind.of(linked(kind), name);
    Contender holder = taking(mine);
    assertTrue(holder.result());
    link.mail().set(Fate.LATE);

    assertTrue(mine.force());

    assertFalse(mine.isHeldBy(holder.thread()), "the hold has ended before any message");
    Contender next = taking(mine);
    assertTrue(next.result());
    Await.until("the message is on its way", () -> link.mail().kept() > 0);
    link.mail().deliver();
    assertTrue(mine.isHeldBy(next.thread()), "the message is not about this hold");
    next.leave(mine::giveBack);
    holder.leave(() -> assertThrows(LeaseLostException.class, mine::giveBack));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "Q6"})
  void whatIsTakenAfterAForcedUnlockIsNotEndedByIt(Forcible kind) throws Exception {
    Forcible.Handle mine = kind.of(linked(kind), name);
    Forcible.Handle theirs = kind.against(others(kind), name);
    assertTrue(theirs.take(false));
    Contender waiter = taking(mine);
    awaitWaiting(kind, 1);
    HeldCall confirming = link.hold(kind.script("acquire"));
    theirs.giveBack();
    confirming.awaitSent(); // the grant's message has arrived
    HeldCall forcing = link.hold(kind.script("force"));
    Contender forcer = contender(mine::force);
    link.mail().set(Fate.LATE);
    assertEquals("FORCED", forcing.arrive().get(0));
    confirming.pass();
    assertTrue(waiter.result(), "the lock is free");

    forcing.reply();
    Await.until("the message is on its way", () -> link.mail().kept() > 0);
    link.mail().deliver();

    assertTrue(forcer.result());
    assertTrue(mine.isHeldBy(waiter.thread()), "its acquisition came after the forced unlock");
    waiter.leave(mine::giveBack);
    forcer.leave(() -> {});
    assertFalse(mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L14", "Q6"})
  void aRevokedIdNeverHoldsAgain(Forcible kind) {
    Forcible.Handle mine = kind.of(linked(kind), name);
    HeldCall asking = link.hold(kind.script("acquire"));
    Contender holder = taking(mine);
    asking.pass();
    assertTrue(holder.result());
    assertTrue(mine.force());

    assertEquals(List.of("TOO_LATE"), asking.arrive(), "the acquire arrives once more");

    assertFalse(mine.isTaken());
    holder.leave(() -> assertThrows(LeaseLostException.class, mine::giveBack));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L10", "L14", "Q6"})
  void aHoldFromAStoreThatForgotARevocationIsReleased(Forcible kind) {
    Forcible.Handle mine = kind.of(linked(kind), name);
    HeldCall asking = link.hold(kind.script("acquire"));
    Contender waiter = taking(mine);
    asking.arrive();
    forceOpen(kind, others(kind));
    List<Object> unused =
        runOn(
            kind.queue(name).replace(":queue:", ":alive:"), "return {redis.call('DEL', KEYS[1])}");
    asking.arrive(); // a second arrival, and the store gives the lock

    asking.reply();

    assertTrue(waiter.result());
    waiter.leave(mine::giveBack);
    // Where several may hold it, nothing has waited for what came back: it goes in the background.
    Await.until("what came back is over", () -> !mine.isTaken());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L14"})
  void aForcedUnlockWithoutAReplyIsReportedByItsMessage(Forcible kind) {
    Forcible.Handle mine = kind.of(linked(kind), name);
    Contender holder = taking(mine);
    assertTrue(holder.result());
    assumeFalse(link.isSharded(), "the service that has lost the reply sends no message");
    link.set(kind.script("force"), Link.REPLY_LOST, 1);

    Contender forcer = contender(mine::force);

    assertTrue(forcer.failure() instanceof RuntimeException);
    Await.until("the holder knows the loss", () -> !mine.isHeldBy(holder.thread()));
    holder.leave(() -> assertThrows(LeaseLostException.class, mine::giveBack));
  }

  @Test
  @Rule({"L9", "RW6", "RW8"})
  void aRevokedReaderMayWriteInItsOwnService() {
    DistributedReadWriteLock mine = linked(Forcible.READ).getReadWriteLock(name);
    mine.readLock().lock();
    link.mail().set(Fate.LOST);

    assertTrue(mine.readLock().forceUnlock());

    assertEquals(LeaseState.LOST, mine.readLock().leaseState());
    assertTrue(mine.writeLock().tryLock(), "without the read hold this is no upgrade");
    mine.writeLock().unlock();
    assertThrows(LeaseLostException.class, mine.readLock()::unlock);
  }
}
