package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Wanted;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that gives up waiting has left the queue, and no grant goes to it. */
public abstract class GivingUpRules extends LockRules {
  private static final Duration LEASE = Duration.ofHours(1);
  private static final int ROUNDS = 100;

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected GivingUpRules(LockKit kit) {
    super(kit);
  }

  private LockService linked() {
    return service(link, builder -> builder.leaseTime(LEASE));
  }

  private static Contender.Way interruptibly(DistributedLock lock) {
    return () -> {
      lock.lockInterruptibly();
      return true;
    };
  }

  private boolean isWaiting(Wanted side, long waiting) {
    return sizeOf(side.queue(name)) == waiting;
  }

  private Contender waiting(Wanted side, Contender.Way way) {
    Contender waiter = contender(way);
    Await.until("the thread is in the queue", () -> isWaiting(side, 1));
    return waiter;
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L11"})
  void anInterruptedWaiterHasLeftWhenTheExceptionComes(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    Contender quitter = waiting(side, interruptibly(wanted));
    HeldCall leaving = link.hold(side.script("leave"));

    quitter.interrupt();
    leaving.awaitSent();
    assertTrue(quitter.thread().isAlive());
    leaving.pass();

    assertInstanceOf(InterruptedException.class, quitter.failure());
    assertTrue(isWaiting(side, 0));
    held.unlock();
    assertFalse(wanted.isLocked(), "no waiter got the lock");
    assertTrue(held.tryLock());
    held.unlock();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L5", "L11"})
  void aTimedWaiterHasLeftWhenItReturns(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    Contender quitter = waiting(side, () -> wanted.tryLock(SECOND));
    HeldCall leaving = link.hold(side.script("leave"));

    passTimeUntil("the attempt's time is over", SECOND.multipliedBy(2), leaving::isSent);
    assertTrue(quitter.thread().isAlive());
    leaving.pass();

    assertFalse(quitter.result());
    assertTrue(isWaiting(side, 0));
    held.unlock();
    assertFalse(wanted.isLocked(), "no waiter got the lock");
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L11", "L14"})
  void aWaiterInterruptedDuringItsGrantReleasesFirst(Wanted side) {
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(linked(), name);
    held.lock();
    Contender quitter = waiting(side, interruptibly(wanted));
    link.mail().set(FaultyMail.Fate.LATE);
    held.unlock(); // grants the lock, and the message is on its way

    quitter.interrupt();

    assertInstanceOf(InterruptedException.class, quitter.failure());
    assertFalse(wanted.isLocked());
    link.mail().deliver();
    assertTrue(held.tryLock());
    held.unlock();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L11", "L14"})
  void aWaiterWithoutAReplyToItsLeaveLeavesInTheBackground(Wanted side) {
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(linked(), name);
    held.lock();
    Contender quitter = waiting(side, interruptibly(wanted));
    link.set(side.script("leave"), Link.REQUEST_LOST, 1);

    quitter.interrupt();

    assertInstanceOf(InterruptedException.class, quitter.failure());
    Await.until("the waiter has left the queue", () -> isWaiting(side, 0));
    held.unlock();
    assertFalse(wanted.isLocked());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L5"})
  void givingUpAfterAFailureDoesNotWaitForTheStoreAgain(Wanted side) {
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(linked(), name);
    held.lock();
    Contender quitter = waiting(side, interruptibly(wanted));
    HeldCall asking = link.hold(side.script("acquire"));
    passTimeUntil("the waiter asks", SECOND.multipliedBy(4), asking::isSent);
    HeldCall leaving = link.hold(side.script("leave"));
    quitter.interrupt();

    asking.lose();

    assertInstanceOf(InterruptedException.class, quitter.failure());
    leaving.pass();
    held.unlock();
    Await.until("the lock is free", () -> !wanted.isLocked());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L5"})
  void anInterruptDuringACommandWaitsNoLongerThanOneTimeout(Wanted side) {
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(linked(), name);
    held.lock();
    HeldCall asking = link.hold(side.script("acquire"));
    Contender quitter = contender(interruptibly(wanted));
    asking.arrive();
    passTime(SECOND);
    quitter.interrupt();
    HeldCall leaving = link.hold(side.script("leave"));

    asking.reply();
    leaving.awaitSent();

    Duration command = link.last(side.script("acquire")).timeout();
    Duration left = link.last(side.script("leave")).timeout();
    assertTrue(left.compareTo(command.minus(SECOND)) <= 0, left + " of " + command);
    leaving.pass();
    assertInstanceOf(InterruptedException.class, quitter.failure());
    held.unlock();
  }

  /** Like two tests of the JDK's locks, many times. */
  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L11"})
  void afterAnInterruptAndAnUnlockTheLockIsFree(Wanted side) {
    DistributedLock held = side.against(service(), name);
    DistributedLock wanted = side.of(linked(), name);
    int free = 0;
    for (int round = 0; round < ROUNDS; round++) {
      held.lock();
      Contender quitter = contender(interruptibly(wanted));
      quitter.interrupt();
      assertInstanceOf(InterruptedException.class, quitter.failure());
      held.unlock();
      free += wanted.isLocked() ? 0 : 1;
      Await.until("the lock is free", held::tryLock);
      held.unlock();
    }
    assertEquals(ROUNDS, free);
  }

  /** The same within one service, where the unlock itself may grant the lock. */
  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "L11"})
  void afterAnInterruptAndAnUnlockTheLockIsFreeOrHeld(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    int taken = 0;
    for (int round = 0; round < ROUNDS; round++) {
      held.lock();
      Contender quitter =
          contender(() -> {
            wanted.lockInterruptibly();
            wanted.unlock();
            return false;
          });
      Thread interrupter = new Thread(quitter::interrupt);
      interrupter.start();
      held.unlock();
      Throwable ended = quitter.ended();
      assertTrue(ended == null || ended instanceof InterruptedException, String.valueOf(ended));
      taken += wanted.isLocked() ? 1 : 0;
      Await.until("the lock is free", held::tryLock);
      held.unlock();
    }
    assertEquals(0, taken, "rounds after which the lock was held without a holder");
  }
}
