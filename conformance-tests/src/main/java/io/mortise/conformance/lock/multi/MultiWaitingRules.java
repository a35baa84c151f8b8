package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.support.Await;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Waiting for a multi-lock: in what order, which members are held meanwhile, and for how long. */
public abstract class MultiWaitingRules extends MultiFixture {
  protected MultiWaitingRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L1", "L10"})
  void itWaitsInTheOrderOfTheNames() {
    Two mine = two();
    Two theirs = two();
    theirs.a().lock();

    Contender waiter = contender(locking(MultiLock.of(mine.b(), mine.a())));
    awaitQueued(1);
    assertFalse(theirs.b().isLocked());
    theirs.a().unlock();

    assertTrue(waiter.result());
    assertTrue(theirs.b().isLocked());
    waiter.leave(mine.both()::unlock);
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule({"L1", "L10"})
  void withAFixedLeaseItWaitsWithNothingInHand() {
    Two theirs = two();
    MultiLock both = two().both().withLease(LONG);
    assertWaitsEmptyHanded(both, theirs.b(), () -> isQueued(nameB(), 1), theirs.a());
  }

  /** The limit of the first name would run while it waits for the second. */
  @Test
  @Rule({"L1", "L10"})
  void withAMaxHoldItWaitsForTheSecondWithNothingInHand() {
    for (MultiLock both : limited()) {
      Two theirs = two();
      theirs.both().lock();
      Contender waiter = contender(both, () -> isQueued(1));
      theirs.a().unlock();
      Await.until("it waits for the second name", () -> isQueued(nameB(), 1));
      assertFalse(theirs.a().isLocked());
      theirs.b().unlock();

      assertTrue(waiter.result());
      waiter.leave(both::unlock);
      assertFalse(theirs.isAnyLocked());
    }
  }

  @Test
  @Rule({"L1", "L10"})
  void forTheSecondOfTwoNamesakesItWaitsWithNothingInHand() {
    Two theirs = namesakes();
    MultiLock both = namesakes().both();
    assertWaitsEmptyHanded(both, theirs.a(), () -> isQueued(1), theirs.b());
  }

  private static void assertWaitsEmptyHanded(
      MultiLock both, DistributedLock second, BooleanSupplier isWaiting, DistributedLock first) {
    second.lock();
    Contender waiter = contender(both, isWaiting);
    assertFalse(first.isLocked());
    second.unlock();

    assertTrue(waiter.result());
    assertTrue(first.isLocked());
    waiter.leave(both::unlock);
    assertFalse(first.isLocked() || second.isLocked());
  }

  private static Contender contender(LeasedLock lock, BooleanSupplier isWaiting) {
    Contender waiter = Contender.start(locking(lock));
    Await.until("the thread waits", isWaiting);
    return waiter;
  }

  @Test
  @Rule("L5")
  void oneDeadlineCoversAllMembers() {
    Two mine = two();
    Two theirs = two();
    theirs.both().lock();
    TimeSource clock = backend().time();
    AtomicLong took = new AtomicLong(-1);
    Contender waiter =
        contender(() -> {
          long start = clock.nanoTime();
          boolean acquired = mine.both().tryLock(5, TimeUnit.SECONDS);
          took.set(clock.nanoTime() - start);
          return acquired;
        });
    awaitQueued(1);
    passTime(Duration.ofMillis(1500));
    theirs.a().unlock();
    Await.until("the attempt waits for the second name", () -> isQueued(nameB(), 1));
    waiter.awaitRest();

    passTimeUntil("the attempt has given up", Duration.ofSeconds(7), () -> took.get() >= 0);

    assertFalse(waiter.result());
    assertTrue(took.get() < TimeUnit.SECONDS.toNanos(6), took + " ns");
    assertFalse(theirs.a().isLocked());
    theirs.b().unlock();
  }

  @Test
  @Rule({"L4", "W11"})
  void anInterruptWhileItWaitsForTheSecondLeavesNothing() {
    Two mine = two();
    Two theirs = two();
    theirs.b().lock();
    MultiLock both = mine.both();
    List<Contender.Way> ways =
        List.of(
            () -> {
              both.lockInterruptibly();
              return true;
            },
            () -> both.tryLock(1, TimeUnit.MINUTES),
            () -> both.withLease(LONG).tryLock(Duration.ofMinutes(1)));
    for (Contender.Way way : ways) {
      Contender waiter = contender(way);
      Await.until("the attempt waits for the second name", () -> isQueued(nameB(), 1));
      waiter.interrupt();
      assertInstanceOf(InterruptedException.class, waiter.failure());
      assertFalse(theirs.a().isLocked());
      Await.until("its place in the queue is free", () -> isQueued(nameB(), 0));
    }
    theirs.b().unlock();
    assertFalse(theirs.b().isLocked());
  }

  @Test
  @Rule({"L4", "W11"})
  void lockWaitsOnAndGivesTheFlagBack() {
    Two mine = two();
    Two theirs = two();
    theirs.b().lock();
    Contender waiter = contender(locking(mine.both()));
    Await.until("the attempt waits for the second name", () -> isQueued(nameB(), 1));
    waiter.interrupt();
    waiter.awaitRest();
    assertFalse(waiter.isInside());
    theirs.b().unlock();

    assertTrue(waiter.result());
    assertTrue(waiter.wasInterruptedAfter());
    waiter.leave(mine.both()::unlock);
  }

  @Test
  @Rule({"L5", "L14"})
  void aTimedLockTriesOnWhileAThreadOfItsProcessCannotReachTheStore() {
    FaultyBackend link = new FaultyBackend(this::backend);
    DistributedLock b = lock();
    DistributedLock troubled = service(link, builder -> builder).getLock(nameB());
    DistributedLock holder = service().getLock(nameB());
    holder.lock();
    Contender first = Contender.start(() -> troubled.tryLock(Duration.ofMinutes(1)));
    Await.until("the thread waits", () -> isQueued(nameB(), 1));
    link.set("acquire", Link.DOWN, Integer.MAX_VALUE);
    Await.until("the last check of the waiter failed", () -> fails(troubled));
    Contender both =
        Contender.start(() -> MultiLock.of(b, troubled).tryLock(Duration.ofMinutes(1)));
    link.set(Link.UP);
    holder.unlock();
    passTimeUntil("the first thread holds the lock", Duration.ofSeconds(10), first::isInside);
    first.leave(troubled::unlock);
    passTimeUntil("both locks are held", Duration.ofSeconds(10), both::isInside);
    both.leave(MultiLock.of(b, troubled)::unlock);
  }

  private boolean fails(DistributedLock lock) {
    passTime(Duration.ofMillis(50));
    try {
      assertFalse(lock.tryLock());
      return false;
    } catch (BackendUnavailableException e) {
      return true;
    }
  }
}
