package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The terms that a multi-lock passes to its members: the lease, and whether interrupts count. */
public abstract class MultiTermsRules extends MultiFixture {
  private static final int LEASE_MILLIS = 20_000;

  protected MultiTermsRules(LockKit kit) {
    super(kit);
  }

  /** Every way to acquire with a fixed lease of 20 s. */
  private static List<Contender.Way> withLease(MultiLock lock) {
    return List.of(
        locking(lock.withLease(Duration.ofSeconds(20))),
        () -> {
          lock.lock(20, TimeUnit.SECONDS);
          return true;
        },
        () -> {
          lock.lockInterruptibly(20, TimeUnit.SECONDS);
          return true;
        },
        () -> lock.tryLock(0, 20, TimeUnit.SECONDS),
        () -> lock.tryLock(5, 20, TimeUnit.SECONDS));
  }

  @Test
  @Rule("W10")
  void everyMemberHasTheLeaseThatWasAskedForHoweverManyThereAre() throws InterruptedException {
    LockService service = service();
    List<DistributedLock> members = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      members.add(service.getLock(name + '-' + i));
    }
    MultiLock all = MultiLock.of(members.toArray(LeasedLock[]::new));
    List<Contender.Way> ways = withLease(all);
    for (Contender.Way way : ways) {
      assertTrue(way.acquire());
      for (DistributedLock each : members) {
        long left = each.remainTimeToLive();
        assertTrue(
            left > LEASE_MILLIS / 2 && left <= LEASE_MILLIS, ways.indexOf(way) + ": " + left);
      }
      all.unlock();
    }
  }

  @Test
  @Rule({"L4", "W11"})
  void anInterruptAtTheSecondMemberEndsEveryInterruptibleWaitWithALease() {
    Two mine = two();
    Two theirs = two();
    theirs.b().lock();
    List<Contender.Way> ways = withLease(mine.both());
    for (Contender.Way way : List.of(ways.get(2), ways.get(4))) {
      Contender waiter = contender(way);
      awaitSecond(1);
      waiter.interrupt();
      assertInstanceOf(InterruptedException.class, waiter.failure());
      assertFalse(theirs.a().isLocked());
      awaitSecond(0);
    }
    theirs.b().unlock();
  }

  private void awaitSecond(long waiting) {
    Await.until(waiting + " waiters of the second name", () -> isQueued(nameB(), waiting));
  }

  @Test
  @Rule("L4")
  void anInterruptedThreadGetsTheExceptionAndNothingElse() {
    Two mine = two();
    MultiLock both = mine.both();
    List<Contender.Way> ways = new ArrayList<>(withLease(both).subList(2, 5));
    ways.add(() -> both.tryLock(0, TimeUnit.SECONDS));
    ways.add(() -> both.tryLock(Duration.ofSeconds(1)));
    ways.add(() -> {
      both.lockInterruptibly();
      return true;
    });
    for (Contender.Way way : ways) {
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, way::acquire, "way " + ways.indexOf(way));
      assertFalse(Thread.interrupted(), "the exception replaces the flag");
      assertFalse(mine.isAnyLocked());
    }
  }

  @Test
  @Rule("L4")
  void anUninterruptibleWaitKeepsTheFlag() {
    MultiLock both = two().both();
    Thread.currentThread().interrupt();
    both.lock();
    assertTrue(both.tryLock());
    both.lock(20, TimeUnit.SECONDS);
    assertTrue(Thread.interrupted());
    assertEquals(3, both.getHoldCount());
    both.unlock();
    both.unlock();
    both.unlock();
  }

  /** A client of the application may use any database of its server. */
  @Test
  @Rule("L18")
  void aNameOnTwoServersThatMayBeOneIsNotRefused() {
    LockService one = service(new Bare(backend()), builder -> builder);
    LockService other = service(new Bare(backend()), builder -> builder);
    assertEquals(
        "[%1$s, %1$s]".formatted(name),
        MultiLock.of(one.getLock(name), other.getLock(name)).name());
    DistributedReadWriteLock sides = one.getReadWriteLock(name);
    assertThrows(
        IllegalArgumentException.class, () -> MultiLock.of(sides.readLock(), sides.writeLock()));
  }

  /** A backend on a client that knows an address, and no database. */
  private static final class Bare extends ForwardingBackend {
    private final LockBackend backend;

    Bare(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public BackendInfo info() {
      BackendInfo info = backend.info();
      return new BackendInfo(
          "127.0.0.1:6379",
          info.serverVersion(),
          info.publishCounts(),
          info.anyKeys(),
          info.topology(),
          info.downAfter());
    }
  }

  @Test
  @Rule("L18")
  void handlesOfOneLockAreOneMember() {
    LockService service = service();
    DistributedLock plain = service.getLock(name);
    for (DistributedLock other :
        List.of(
            service.getLock(name),
            service.getFairLock(name),
            service.getFencedLock(name),
            service.getFencedLock(name).withLease(LONG))) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> MultiLock.of(plain, other));
      assertTrue(String.valueOf(e.getMessage()).contains("'" + name + "' is in"), e.getMessage());
    }
  }
}
