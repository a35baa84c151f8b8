package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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

  /** A way to lock and to unlock again. */
  private record Entry(Contender.Way in, Runnable out) {}

  private static List<Entry> entries(MultiLock lock) {
    AtomicReference<@Nullable Lease> lease = new AtomicReference<>();
    return List.of(
        new Entry(locking(lock), lock::unlock),
        new Entry(() -> lock.tryLock(Duration.ofMinutes(1)), lock::unlock),
        new Entry(
            () -> {
              lease.set(lock.acquire());
              return true;
            },
            () -> Objects.requireNonNull(lease.get()).close()));
  }

  /** If each refusal began all over, twice as many names would square the number of waits. */
  @Test
  @Rule({"L10", "L19"})
  void ofNamesThatAreNeverFreeForATryItWaitsForEachAboutOnce() {
    LockService one = service();
    LockService other = service();
    List<IntFunction<DistributedLock>> kinds =
        List.of(
            i -> one.getLock(nameOf(i)),
            i -> one.getFairLock(nameOf(i)),
            i -> one.getFencedLock(nameOf(i)),
            i -> (i % 2 == 0 ? one : other).getLock(nameOf(i)));
    for (IntFunction<DistributedLock> kind : kinds) {
      for (int way = 0; way < 3; way++) {
        for (int names = 4; names <= 16; names *= 2) {
          MultiLock all = MultiLock.of(IntStream.range(0, names).mapToObj(kind).toList());
          int waits = waits(entries(all).get(way), names);
          String what = "kind %d, way %d: %d waits".formatted(kinds.indexOf(kind), way, waits);
          assertTrue(waits <= names + 1, what);
        }
      }
    }
  }

  /** Others always have all names that it does not hold. Returns how often it waited. */
  private int waits(Entry entry, int names) {
    List<DistributedLock> others = locks(service(), names);
    others.get(names - 1).lock(); // which refuses, so that it begins with the last
    Contender waiter = Contender.startBusy(entry.in());
    int waits = 0;
    for (int wanted = wanted(waiter, names); wanted < names; wanted = wanted(waiter, names)) {
      waits++;
      assertTrue(waits <= 2 * names, () -> "more than twice for each of " + names);
      others.stream().filter(each -> !each.isHeldByCurrentThread()).forEach(Lock::tryLock);
      others.get(wanted).unlock();
    }
    waiter.leave(entry.out());
    return waits;
  }

  /** The number of the name that it waits for; the number of all once it has them. */
  private int wanted(Contender waiter, int names) {
    int[] found = {names};
    Await.until(
        "it waits or is done",
        () -> {
          found[0] = IntStream.range(0, names).filter(this::isWaitedFor).findFirst().orElse(names);
          return found[0] < names || waiter.isInside();
        });
    return found[0];
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
