package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HandOffCases;
import io.mortise.conformance.lock.fixture.HandOffCases.Subject;
import io.mortise.conformance.lock.fixture.HandOffCases.Three;
import io.mortise.conformance.lock.fixture.HandOffs;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lock goes from one lease of a service to the next, and others get it all the same. */
public abstract class LeaseHandOffRules extends LeaseFixture {
  /** For so long after its acquisition a lease is handed off inside a service. */
  private static final Duration HAND_OFFS_LAST = Duration.ofMillis(10);

  /** How many requests are outstanding at a time. */
  private static final int OUTSTANDING = 8;

  private final SpyBackend spy = new SpyBackend(backend());

  private final HandOffCases cases =
      new HandOffCases(
          this,
          spy,
          new Subject(
              service -> service.getLock(name).async(),
              () -> lock().isLocked(),
              () -> lock().forceUnlock(),
              this::awaitQueued,
              this::assertFree));

  private final HandOffs handOffs = cases.handOffs();

  protected LeaseHandOffRules(LockKit kit) {
    super(kit);
  }

  private DistributedLock mine() {
    return cases.told(builder -> builder).getLock(name);
  }

  /** Requests of one service, of which some are always outstanding. Each closes its lease. */
  private final class Claims {
    private final AsyncLock leases;
    private final int least;
    private final int handed;
    private final long start = System.nanoTime();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger(OUTSTANDING);
    private final CompletableFuture<Void> done = new CompletableFuture<>();

    /**
     * @param least how many there are at least
     * @param handed how many hand-offs there should be
     */
    Claims(DistributedLock lock, int least, int handed) {
      leases = lock.async();
      this.least = least;
      this.handed = handed;
    }

    void run() {
      for (int i = 0; i < OUTSTANDING; i++) {
        next();
      }
      Await.until("all were served", Duration.ofSeconds(60), this::areServed);
      done.join();
      handOffs.awaitTold(served.get());
    }

    /** Lets time pass also where only tests move it, because hand-offs begin again with it. */
    private boolean areServed() {
      passTime(Duration.ofMillis(1));
      return done.isDone();
    }

    private void next() {
      if (asked.incrementAndGet() > least && !handOffs.lack(handed, start)) {
        if (running.decrementAndGet() == 0) {
          done.complete(null);
        }
        return;
      }
      CompletableFuture<Void> unused =
          leases
              .acquire()
              .thenCompose(this::visit)
              .whenComplete((nothing, failure) -> {
                if (failure == null) {
                  next();
                } else {
                  done.completeExceptionally(failure);
                }
              });
    }

    private CompletionStage<Void> visit(Lease lease) {
      int now = inside.incrementAndGet();
      assertEquals(1, now, "holders");
      assertTrue(lease.isValid());
      inside.decrementAndGet();
      served.incrementAndGet();
      return lease.releaseAsync();
    }
  }

  @Test
  @Rule({"L1", "L15", "L19", "L20"})
  void requestsOfOneServiceHandTheLockOffWithoutCommands(Figures figures) {
    new Claims(mine(), 4_000, 100).run();

    assertFree();
    assertTrue(handOffs.all() >= 100, () -> handOffs.all() + " hand-offs");
    assertEquals(handOffs.begun() - handOffs.all(), spy.sent("leave").size());
    note(figures, "commands for leases, 8 outstanding in 1 service");
  }

  @Test
  @Rule({"L1", "L12"})
  void withoutHandOffsEachLeaseIsTwoCommands(Figures figures) {
    DistributedLock lock = cases.told(builder -> builder.handOffLimit(0)).getLock(name);

    new Claims(lock, 1_000, 0).run();

    assertFree();
    assertEquals(0, handOffs.all());
    assertEquals(handOffs.begun(), spy.sent("leave").size());
    note(figures, "the same, without hand-offs");
  }

  private void note(Figures figures, String what) {
    int commands = spy.sent("acquire").size() + spy.sent("leave").size();
    figures.add(what, commands + " for " + handOffs.begun());
  }

  @Test
  @Rule("L12")
  void aServiceHandsTheLockOffAtMostAsOftenAsItsLimit() {
    DistributedLock lock = cases.told(builder -> builder.handOffLimit(2)).getLock(name);

    new Claims(lock, 500, 5).run();

    assertFree();
    cases.assertWithinLimit(2);
  }

  @Test
  @Rule({"L11", "L12"})
  void withoutHandOffsAllWaitInTheStoresOrder() {
    cases.withoutHandOffsAllWaitInTheStoresOrder();
  }

  /** Time passes while the busy service has the lock, also where only tests move it. */
  @Test
  @Rule({"L10", "L12"})
  void aSingleThreadGetsTheLockFromThreadsAndLeasesOfABusyService(Figures figures)
      throws InterruptedException {
    DistributedLock theirs = mine();
    DistributedLock mine = lockWithLease(LEASE);
    BusyService busy = new BusyService(7, number -> use(theirs, number));

    Waits waits =
        busy.waitsOfOneMore(
            20,
            time -> {
              if (time % 2 == 0) {
                return mine.tryAcquire(LEASE).orElseThrow();
              }
              mine.lock();
              return mine::unlock;
            });

    waits.note(figures, "wait for a lock of busy threads and leases");
    waits.assertFewSlow();
    assertFree();
  }

  private void use(DistributedLock lock, int number) throws InterruptedException {
    if (number % 2 == 0) {
      lock.lock();
      if (number == 0) {
        passTime(HAND_OFFS_LAST); // while it is held, or a lease would be over before its reply
      }
      lock.unlock();
    } else {
      lock.acquire().close();
    }
  }

  @Test
  @Rule({"L1", "L9"})
  void aLeaseThatWasLostGoesToNobodyHere() {
    cases.whatWasLostGoesToNobodyHere();
  }

  @Test
  @Rule("L27")
  void aLockThatIsFreeLaterIsNotHandedOff() {
    cases.whatIsFreeLaterIsNotHandedOff();
  }

  /** The command is still on its way. The next holder has not asked for that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"L7", "L12"})
  void aLeaseThatIsMadeLongerGoesBackToTheStore(boolean byThread) {
    Three mine = cases.three(linked().getLock(name).async());
    HeldCall longer = link.hold("renew");
    Duration lease = LEASE.multipliedBy(10);
    Object unused =
        byThread
            ? Contender.start(() -> mine.first().extend(lease))
            : mine.first().extendAsync(lease);
    longer.awaitSent();

    mine.first().close();

    assertFalse(mine.awaitHandedOff(), "it was handed off");
    List<Object> none = longer.pass();
    assertEquals(0L, none.get(0));
    mine.close(false);
    assertFree();
  }

  @Test
  @Rule({"L9", "L28"})
  void theLongestHoldEndsAlsoWhatWasHandedOff() {
    cases.theLongestHoldEndsAlsoWhatWasHandedOff();
  }

  @Test
  @Rule("L17")
  void closingEndsAlsoThoseThatWaitInTheService() {
    cases.closingEndsAlsoThoseThatWaitInTheService();
  }

  @Test
  @Rule("L5")
  void anAttemptThatDoesNotWaitIsAnsweredByTheStore() {
    DistributedLock mine = mine();
    Lease first = Await.value(mine.async().acquire());
    CompletableFuture<Lease> second = cases.queued(mine.async(), 1);
    spy.forget();

    assertEquals(Optional.empty(), Await.value(mine.async().tryAcquire()));

    assertEquals(1, spy.sent("acquire").size());
    first.close();
    Await.value(second).close();
    assertFree();
  }

  @Test
  @Rule({"L21", "L24"})
  void theHolderIsTheLeaseThatHasTheLockNow() {
    LockService service = cases.told(builder -> builder);
    DistributedLock lock = service.getLock(name);
    Three mine = cases.three(lock.async());
    String before = lock.holder().orElseThrow().id();

    mine.first().close();

    boolean handedOff = mine.awaitHandedOff();
    String after = lock.holder().orElseThrow().id();
    assertEquals(handedOff, after.equals(before), "the id in the store stays with a hand-off");
    assertEquals(after, service.holds().get(0).holder());
    Await.until("the other one waits", () -> service.holds().get(0).waitingHere() == 1);
    assertEquals(LeaseState.RELEASED, mine.first().state());
    mine.close(handedOff);
    assertFree();
  }

  // Leases that are not handed off

  @Test
  @Rule({"L11", "L13"})
  void fairAndFencedLeasesWaitInTheStoresOrder() {
    LockService service = cases.told(builder -> builder);
    for (DistributedLock lock : List.of(service.getFairLock(name), service.getFencedLock(name))) {
      Lease first = Await.value(lock.async().acquire());
      CompletableFuture<Lease> second = cases.queued(lock.async(), 1);
      CompletableFuture<Lease> third = cases.queued(lock.async(), 2);

      first.close();

      Lease next = Await.value(second);
      assertFalse(third.isDone());
      next.close();
      Await.value(third).close();
      assertFree();
    }
    handOffs.awaitTold(6);
    assertEquals(0, handOffs.all());
  }

  @Test
  @Rule({"L1", "L16"})
  void aMemberOfALockOfSeveralWaitsInTheStore() {
    LockService service = cases.told(builder -> builder);
    DistributedLock mine = service.getLock(name);
    Lease first = Await.value(mine.async().acquire());
    CompletableFuture<Lease> second = cases.queued(mine.async(), 1);

    CompletableFuture<Lease> both =
        MultiLock.of(mine, service.getLock(name + "-b")).async().acquire();
    awaitQueued(2);
    first.close();

    Await.value(second).close();
    Await.value(both).close();
    assertFree();
    Await.until("all are told", () -> handOffs.begun() >= 4); // each member of the last one too
    assertEquals(0, handOffs.all());
  }
}
