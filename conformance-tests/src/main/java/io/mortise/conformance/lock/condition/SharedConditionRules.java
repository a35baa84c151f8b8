package io.mortise.conformance.lock.condition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A condition of several processes while messages, links, leases and services fail. */
@SuppressWarnings("WaitNotInLoop") // the tests check every single return
public abstract class SharedConditionRules extends ConditionFixture {
  private static final Duration LEASE = Duration.ofHours(1);
  private static final String READY = "ready";

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected SharedConditionRules(LockKit kit) {
    super(kit);
  }

  private DistributedLock linked() {
    return service(link, builder -> builder.leaseTime(LEASE)).getLock(name);
  }

  private static Contender waiting(DistributedLock lock, Condition condition) {
    return waiting(
        lock,
        () -> {
          condition.await();
          return lock.isHeldByCurrentThread();
        });
  }

  private static void signal(DistributedLock lock) {
    lock.lock();
    try {
      lock.newCondition(READY).signal();
    } finally {
      lock.unlock();
    }
  }

  private long inLine() {
    return sizeOf("mortise:cond:" + READY + ":{" + name + "}");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"C2", "L10"})
  void aSignalWithALostMessageIsFoundByTheNextCheck(boolean gapIsTold) {
    DistributedLock theirs = linked();
    Contender waiter = waiting(theirs, theirs.newCondition(READY));
    if (gapIsTold) {
      link.mail().cut();
    } else {
      link.mail().set(FaultyMail.Fate.LOST);
    }
    signal(lock());
    if (gapIsTold) {
      link.mail().join();
      assertTrue(waiter.result());
    } else {
      passTimeUntil("the waiter asks without a message", Duration.ofSeconds(10), waiter::isInside);
    }
    assertEquals(0, inLine());
  }

  @Test
  @Rule({"C4", "L14"})
  void aThreadThatCannotQueueKeepsTheLockAndLeavesNothing() {
    DistributedLock mine = linked();
    Condition condition = mine.newCondition(READY);
    mine.lock();
    link.set("condition", Link.REPLY_LOST, 1);
    assertThrows(OutcomeUnknownException.class, condition::await);
    link.set("condition", Link.DOWN, 1);
    assertThrows(BackendUnavailableException.class, condition::await);
    assertTrue(mine.isHeldByCurrentThread());
    Await.until("no thread is in the queue", () -> inLine() == 0);
    link.set("condition", Link.DOWN, 1);
    assertThrows(BackendUnavailableException.class, condition::signal);
    condition.signal();
    mine.unlock();
  }

  /** Otherwise that place in the queue would take a signal that no thread receives. */
  @Test
  @Rule({"C2", "C4", "L14"})
  void aQueueCommandThatArrivesAfterItsWithdrawalIsRefused() {
    DistributedLock theirs = linked();
    Condition condition = theirs.newCondition(READY);
    HeldCall late = link.hold("condition");
    Contender unlucky =
        Contender.startBusy(() -> {
          theirs.lock();
          assertThrows(OutcomeUnknownException.class, condition::await);
          theirs.unlock();
          return true;
        });
    late.lose();
    assertTrue(unlucky.result());
    String alive = "mortise:cond-alive:" + READY + ":{" + name + "}";
    String known = "return {redis.call('EXISTS', KEYS[1])}";
    Await.until("the command is withdrawn", () -> runOn(alive, known).equals(List.<Object>of(1L)));

    late.arrive();

    assertEquals(0, inLine());
  }

  @Test
  @Rule({"C4", "L14"})
  void anOutageWhileItWaitsIsRiddenOut() {
    DistributedLock theirs = linked();
    Contender waiter = waiting(theirs, theirs.newCondition(READY));
    link.set(Link.DOWN);
    passTime(Duration.ofSeconds(3));
    assertEquals(1, inLine());
    link.set(Link.UP);
    signal(lock());
    passTimeUntil("the waiter gets the signal, or asks", Duration.ofSeconds(10), waiter::isInside);
  }

  @Test
  @Rule({"C3", "C4"})
  void aThreadThatMayHaveBeenSignalledWakesWithoutAReason() {
    DistributedLock theirs = linked();
    Condition condition = theirs.newCondition(READY);
    HeldCall queues = link.hold("condition");
    HeldCall leaves = link.hold("condition"); // after its time, however late that is
    Contender waiter =
        Contender.startBusy(() -> {
          theirs.lock();
          boolean signalled = condition.await(1, TimeUnit.SECONDS);
          theirs.unlock();
          return signalled;
        });
    queues.awaitSent();
    DistributedLock mine = lock();
    Contender holder = entering(mine); // it is in the queue before the lock is free
    queues.pass();
    assertTrue(holder.result());
    passTime(Duration.ofMillis(1100));
    holder.leave(mine::unlock);
    passTimeUntil("the waiter leaves the queue", Duration.ofSeconds(10), leaves::isSent);
    leaves.arrive();
    leaves.lose();
    assertTrue(waiter.result());
    Await.until("no thread is in the queue", () -> inLine() == 0);
  }

  /** If a signalled thread cannot acquire the lock again, the next thread gets the signal. */
  @Test
  @Rule({"C2", "C4"})
  void aSignalToAClosedServiceGoesToTheNextWaiter() {
    LockService closing = service(builder -> builder.leaseTime(LEASE));
    DistributedLock theirs = closing.getLock(name);
    Contender first = waiting(theirs, theirs.newCondition(READY));
    DistributedLock other = lock();
    Contender next = waiting(other, other.newCondition(READY));
    DistributedLock mine = lock();
    mine.lock();
    mine.newCondition(READY).signal();
    closing.close();
    assertInstanceOf(LockServiceClosedException.class, first.failure());
    mine.unlock();
    assertTrue(next.result());
  }

  @Test
  @Rule({"C4", "L15"})
  void closingEndsTheWaitOfThreadsToo() {
    LockService closing = service();
    DistributedLock lock = closing.getLock(name);
    Contender shared = waiting(lock, lock.newCondition(READY));
    Contender own = waiting(lock, lock.newCondition());
    closing.close();
    assertInstanceOf(LockServiceClosedException.class, shared.failure());
    assertInstanceOf(LockServiceClosedException.class, own.failure());
  }

  @Test
  @Rule({"C1", "L9"})
  void aThreadThatLostTheLockCanNeitherWaitNorSignal() {
    DistributedLock mine = service(builder -> builder.leaseTime(LEASE)).getLock(name);
    Condition condition = mine.newCondition(READY);
    DistributedLock theirs = lock();
    Contender waiter = waiting(theirs, theirs.newCondition(READY));
    mine.lock();
    deleteKey();
    assertThrows(LeaseLostException.class, condition::signal);
    assertThrows(LeaseLostException.class, condition::await);
    Await.until("only the waiter is in the queue", () -> inLine() == 1);
    signal(lock());
    assertTrue(waiter.result());
  }

  @Test
  @Rule("L15")
  void itsKeysExpireAndGoWithTheLastWaiter() {
    DistributedLock theirs = lock();
    Contender waiter = waiting(theirs, theirs.newCondition(READY));
    passTime(Duration.ofSeconds(3)); // it has asked again, so both keys are there
    for (String key : List.of("cond:", "cond-alive:")) {
      String full = "mortise:" + key + READY + ":{" + name + "}";
      Await.until(
          key + " expires",
          () -> {
            long left = (Long) runOn(full, "return {redis.call('PTTL', KEYS[1])}").get(0);
            assertTrue(left != -1 && left <= 20_000, key + " " + left);
            return left > 0;
          });
    }
    signal(lock());
    assertTrue(waiter.result());
    for (String key : List.of("cond:", "cond-alive:")) {
      String full = "mortise:" + key + READY + ":{" + name + "}";
      assertEquals(List.<Object>of(0L), runOn(full, "return {redis.call('EXISTS', KEYS[1])}"));
    }
  }

  @Test
  @Rule({"C1", "L8"})
  void theLeaseAndTheKindOfTheHoldAreAsBefore() {
    FencedLock fenced = service().getFencedLock(name);
    Contender waiter =
        Contender.start(() -> {
          fenced.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
          long token = fenced.fencingToken();
          fenced.newCondition(READY).await();
          assertTrue(fenced.fencingToken() > token);
          assertTrue(fenced.remainTimeToLive() > LEASE.toMillis() / 2);
          fenced.unlock();
          return true;
        });
    signal(lock());
    assertTrue(waiter.result());
  }

  @Test
  @Rule({"C1", "L13"})
  void aFencedHoldThatWaitsByAPlainHandleComesBackWithAToken() {
    LockService service = service();
    FencedLock fenced = service.getFencedLock(name);
    Contender waiter =
        Contender.start(() -> {
          long token = fenced.lockAndGetToken();
          service.getLock(name).newCondition(READY).await();
          assertTrue(fenced.fencingToken() > token);
          fenced.unlock();
          return true;
        });
    signal(lock());
    assertTrue(waiter.result());
  }

  /** A command for an inner level might fail while the lock is held. */
  @Test
  @Rule({"C1", "C4", "L2"})
  void innerLevelsComeBackWithoutACommand() {
    DistributedLock theirs = linked().withLease(LEASE);
    AtomicBoolean entered = new AtomicBoolean();
    Contender waiter =
        Contender.start(() -> {
          theirs.lock();
          theirs.lock();
          entered.set(true);
          theirs.newCondition(READY).await();
          assertEquals(2, theirs.getHoldCount());
          theirs.unlock();
          theirs.unlock();
          return true;
        });
    DistributedLock mine = lock();
    Await.until("the waiter waits for the signal", () -> entered.get() && !mine.isLocked());
    link.set("renew", Link.DOWN, Integer.MAX_VALUE);
    signal(mine);
    assertTrue(waiter.result());
  }

  @Test
  @Rule({"C1", "RW1"})
  void theWriteLockHasConditionsAndTheReadLockHasNone() {
    DistributedReadWriteLock rw = service().getReadWriteLock(name);
    Contender waiter = waiting(rw.writeLock(), rw.writeLock().newCondition(READY));
    DistributedLock mine = service().getReadWriteLock(name).writeLock();
    signal(mine);
    assertTrue(waiter.result());
    assertThrows(UnsupportedOperationException.class, () -> rw.readLock().newCondition(READY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a{b", "a:b"})
  @Rule("L18")
  void aNameThatWouldMeetAnotherIsRefused(String bad) {
    DistributedLock mine = lock();
    Throwable refused = assertThrows(IllegalArgumentException.class, () -> mine.newCondition(bad));
    assertTrue(refused.toString().contains("condition name"), refused.toString());
  }
}
