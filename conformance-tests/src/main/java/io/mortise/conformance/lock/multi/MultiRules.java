package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.support.Crew;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Acquiring a multi-lock: all members or none, and never a deadlock. */
public abstract class MultiRules extends MultiFixture {
  private static final int THREADS = 6;
  private static final int ROUNDS = 40;

  protected MultiRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L1", "L2"})
  void itIsHeldWhileAllItsMembersAre() {
    Two mine = two();
    Two theirs = two();
    MultiLock both = mine.both();

    both.lock();
    assertTrue(both.tryLock(), "reentrant");
    mine.a().lock();
    assertEquals(3, mine.a().getHoldCount());
    assertEquals(2, both.getHoldCount());
    assertTrue(both.isHeldByThread(Thread.currentThread().getId()));
    mine.a().unlock();
    both.unlock();
    assertFalse(theirs.a().tryLock());
    assertFalse(theirs.b().tryLock());
    both.unlock();

    assertEquals(0, both.getHoldCount());
    assertFalse(both.isHeldByCurrentThread());
    assertTrue(theirs.both().tryLock());
    theirs.both().unlock();
    assertFalse(mine.isAnyLocked());
  }

  @Test
  @Rule({"L1", "L5"})
  void aFailedAttemptLeavesNothingHeld() throws InterruptedException {
    Two mine = two();
    Two theirs = two();
    theirs.b().lock();

    assertFalse(mine.both().tryLock());
    assertFalse(mine.a().isLocked());
    assertFalse(mine.both().tryLock(0, TimeUnit.SECONDS));
    assertFalse(mine.both().tryLock(Duration.ofMillis(-1)));
    assertFalse(mine.a().isLocked());
    Contender timed = contender(() -> mine.both().tryLock(Duration.ofMillis(300)));
    passTimeUntil(
        "the attempt has given up",
        SECOND,
        () -> timed.thread().getState() == Thread.State.TERMINATED);
    assertFalse(timed.result());
    assertFalse(mine.a().isLocked());
    assertEquals(0, mine.a().getHoldCount());

    mine.a().lock();
    assertFalse(mine.both().tryLock());
    assertEquals(1, mine.a().getHoldCount(), "the earlier hold stays");
    mine.a().unlock();
    theirs.b().unlock();
  }

  @Test
  @Rule({"L1", "L10"})
  void multiLocksInOppositeOrderNeverDeadlock() throws InterruptedException {
    Two one = two();
    Two other = two();
    assertProgress(List.of(one.both(), MultiLock.of(other.b(), other.a())));
  }

  @Test
  @Rule({"L1", "L10"})
  void multiLocksWithFixedLeasesNeverDeadlock() throws InterruptedException {
    Two one = two();
    Two other = two();
    assertProgress(
        List.of(one.both().withLease(LONG), MultiLock.of(other.b(), other.a()).withLease(LONG)));
  }

  @Test
  @Rule({"L1", "L10"})
  void multiLocksOfNamesakesNeverDeadlock() throws InterruptedException {
    Two one = namesakes();
    Two other = namesakes();
    assertProgress(List.of(one.both(), MultiLock.of(other.b(), other.a())));
  }

  /** Without exclusion the counter loses updates. With a deadlock the crew does not end. */
  private static void assertProgress(List<MultiLock> locks) throws InterruptedException {
    int[] counter = new int[1];
    Crew.run(
        THREADS,
        number -> {
          MultiLock lock = locks.get(number % locks.size());
          for (int i = 0; i < ROUNDS; i++) {
            lock.lock();
            try {
              int before = counter[0];
              Thread.onSpinWait();
              counter[0] = before + 1;
            } finally {
              lock.unlock();
            }
          }
        });
    assertEquals(THREADS * ROUNDS, counter[0]);
  }

  @Test
  @Rule({"L5", "L14"})
  void aStoreOutOfReachIsAnErrorAndLeavesNothing() {
    FaultyBackend link = new FaultyBackend(this::backend);
    Two mine = new Two(lock(), service(link, builder -> builder).getLock(nameB()));
    link.set(FaultyBackend.Link.DOWN);

    assertThrows(BackendUnavailableException.class, mine.both()::tryLock);
    assertThrows(BackendUnavailableException.class, mine.both()::lock);
    assertThrows(BackendUnavailableException.class, mine.both().withLease(LONG)::tryLock);
    assertThrows(BackendUnavailableException.class, mine.both().withLease(LONG)::lock);
    assertFalse(mine.a().isLocked());
    for (MultiLock both : List.of(mine.both(), mine.both().withLease(LONG))) {
      Contender timed = contender(() -> both.tryLock(Duration.ofMillis(300)));
      passTimeUntil(
          "the attempt has given up",
          SECOND,
          () -> timed.thread().getState() == Thread.State.TERMINATED);
      assertInstanceOf(BackendUnavailableException.class, timed.failure());
      assertFalse(mine.a().isLocked());
    }
    link.set(FaultyBackend.Link.UP);
  }

  @Test
  @Rule("L18")
  @SuppressWarnings("NullAway") // the test passes null on purpose
  void badMembersAndLeasesAreRefused() {
    Two mine = two();
    LeasedLock strange =
        (LeasedLock)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LeasedLock.class},
                (proxy, method, args) -> "strange");

    assertThrows(NullPointerException.class, () -> MultiLock.of((LeasedLock[]) null));
    assertThrows(NullPointerException.class, () -> MultiLock.of(mine.a(), null));
    assertRefused("no locks");
    assertRefused("twice", mine.a(), mine.b(), mine.a().withLease(LONG));
    assertRefused("twice", mine.both(), mine.b());
    assertRefused("twice", mine.a(), mine.b(), lock());
    assertRefused("twice", mine.both(), two().both());
    DistributedReadWriteLock sides = service().getReadWriteLock(name);
    assertRefused("one side", sides.readLock(), sides.writeLock());
    assertRefused("one side", sides.writeLock(), service().getReadWriteLock(name).readLock());
    assertEquals("[%1$s, %1$s]".formatted(name), MultiLock.of(sides.readLock(), lock()).name());
    assertRefused("strange", mine.a(), strange);
    for (long bad : new long[] {0, -1, Long.MAX_VALUE}) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> mine.both().lock(bad, TimeUnit.DAYS));
      assertTrue(String.valueOf(e.getMessage()).contains(bad + " DAYS"), e.getMessage());
    }
    assertThrows(UnsupportedOperationException.class, mine.both()::newCondition);
    assertEquals("[" + name + ", " + nameB() + "]", MultiLock.of(mine.b(), mine.a()).name());
  }

  private static void assertRefused(String why, LeasedLock... locks) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> MultiLock.of(locks));
    assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
  }
}
