package io.mortise.conformance.lock.multi;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Trying a multi-lock without waiting: one of the rivals succeeds, and a refusal is cheap. */
public abstract class MultiTryRules extends MultiFixture {
  private static final int ROUNDS = 40;
  private static final Duration LEASE = Duration.ofSeconds(1);

  protected MultiTryRules(LockKit kit) {
    super(kit);
  }

  /** A way to try. Returns how to release what it acquired, or null. */
  private interface Way {
    @Nullable Runnable attempt(MultiLock lock) throws InterruptedException;
  }

  private static final List<Way> WAYS =
      List.of(
          lock -> lock.tryLock() ? lock::unlock : null,
          lock -> lock.tryAcquire(Duration.ZERO).map(MultiTryRules::giveBack).orElse(null),
          lock -> Await.value(lock.async().tryAcquire()).map(MultiTryRules::giveBack).orElse(null));

  private static Runnable giveBack(Lease lease) {
    return lease::close;
  }

  /** Multi-locks of these names, all of one service or each of a service of its own. */
  private List<MultiLock> locks(boolean oneService, List<List<String>> names) {
    LockService shared = service();
    List<MultiLock> locks = new ArrayList<>();
    for (List<String> each : names) {
      LockService service = oneService ? shared : service();
      locks.add(
          MultiLock.of(
              each.stream()
                  .map(suffix -> service.getLock(name + suffix))
                  .toArray(LeasedLock[]::new)));
    }
    return locks;
  }

  private static void assertEachRoundHasAWinner(List<MultiLock> locks) throws InterruptedException {
    for (Way way : WAYS) {
      AtomicInteger winners = new AtomicInteger();
      AtomicInteger empty = new AtomicInteger();
      CyclicBarrier together = new CyclicBarrier(locks.size());
      Crew.run(
          locks.size(),
          number -> {
            for (int round = 0; round < ROUNDS; round++) {
              int first = await(together);
              Runnable giveBack = way.attempt(locks.get(number));
              winners.addAndGet(giveBack == null ? 0 : 1);
              await(together);
              if (giveBack != null) {
                giveBack.run();
              }
              if (first == 0) {
                empty.addAndGet(winners.getAndSet(0) == 0 ? 1 : 0);
              }
            }
          });
      assertEquals(
          0, empty.get(), "rounds of " + ROUNDS + " without a winner, way " + WAYS.indexOf(way));
    }
  }

  private static int await(CyclicBarrier together) throws Exception {
    return together.await(30, TimeUnit.SECONDS);
  }

  @Test
  @Rule({"L1", "L5"})
  void ofTwoThatTryTheSameLocksOneWins() throws InterruptedException {
    List<List<String>> same = List.of(List.of("-a", "-b"), List.of("-b", "-a"));
    assertEachRoundHasAWinner(locks(true, same));
    assertEachRoundHasAWinner(locks(false, same));
  }

  @Test
  @Rule({"L1", "L5"})
  void ofThoseThatTryOverlappingLocksOneWins() throws InterruptedException {
    List<List<String>> circle =
        List.of(List.of("-a", "-b"), List.of("-b", "-c"), List.of("-c", "-a"));
    assertEachRoundHasAWinner(locks(true, circle));
    assertEachRoundHasAWinner(locks(false, circle));
  }

  @Test
  @Rule({"L19", "L5"})
  void aRefusalEndsTheAttemptAndFreeMembersCostOneCommandEach() throws InterruptedException {
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);
    LockService other = service(spy, builder -> builder);
    MultiLock mine = MultiLock.of(service.getLock(name), other.getLock(nameB()));
    DistributedLock theirs = lock();
    theirs.lock();
    for (Way way : WAYS) {
      spy.forget();
      assertEquals(null, way.attempt(mine));
      assertEquals(1, spy.sent("acquire").size());
      assertEquals(0, spy.sent("leave").size());
    }
    theirs.unlock();
    for (Way way : WAYS) {
      spy.forget();
      Runnable giveBack = way.attempt(mine);
      assertEquals(2, spy.sent("acquire").size());
      assertTrue(giveBack != null);
      giveBack.run();
    }
  }

  @Test
  @Rule({"L1", "L5"})
  void membersAreReleasedBeforeARefusalIsReported() throws InterruptedException {
    Two mine = two();
    DistributedLock theirs = service().getLock(nameB());
    theirs.lock();
    for (Way way : WAYS) {
      for (int i = 0; i < ROUNDS; i++) {
        assertEquals(null, way.attempt(mine.both()));
        assertFalse(mine.a().isLocked(), "way " + WAYS.indexOf(way));
      }
    }
    theirs.unlock();
  }

  @Test
  @Rule("L4")
  void anAnswerThatComesTooLateLeavesAnInterruptInPlace() {
    FaultyBackend link = new FaultyBackend(this::backend);
    MultiLock both =
        MultiLock.of(
                service(link, builder -> builder.leaseTime(LEASE.multipliedBy(3))).getLock(name),
                service().getLock(nameB()))
            .withLease(LEASE);
    List<Contender.Way> ways = List.of(both::tryLock, locking(both));
    for (Contender.Way way : ways) {
      HeldCall taking = link.hold("acquire");
      AtomicBoolean interrupted = new AtomicBoolean();
      Contender unlucky =
          Contender.start(() -> {
            try {
              return way.acquire();
            } finally {
              interrupted.set(Thread.currentThread().isInterrupted());
            }
          });
      taking.arrive();
      passTime(LEASE.multipliedBy(2));
      unlucky.interrupt();
      taking.reply();
      passTimeUntil(
          "the attempt is done",
          LEASE.multipliedBy(10),
          () -> unlucky.isInside() || !unlucky.thread().isAlive());
      assertTrue(interrupted.get(), "way " + ways.indexOf(way));
      if (ways.indexOf(way) == 0) {
        assertInstanceOf(BackendUnavailableException.class, unlucky.failure());
      } else {
        assertTrue(unlucky.result());
        unlucky.leave(both::unlock);
      }
    }
  }

  /** No backend should throw like this. Even then, the locks must become free. */
  @Test
  @Rule("L15")
  void anErrorOfOneMemberLeavesNothingBehind() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LockService bad = service(link, builder -> builder);
    LockService good = service();
    List<MultiLock> orders =
        List.of(
            MultiLock.of(bad.getLock(name), good.getLock(nameB())),
            MultiLock.of(good.getLock(name), bad.getLock(nameB())));
    for (MultiLock both : orders) {
      link.send(call -> {
        throw new AssertionError("the test made this call fail");
      });
      Contender unlucky = contender(locking(both));
      assertInstanceOf(AssertionError.class, root(unlucky.failure()));
      link.send(call -> call);

      Contender next = contender(locking(both));

      assertTrue(next.result());
      next.leave(both::unlock);
    }
  }

  private static Throwable root(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }
}
