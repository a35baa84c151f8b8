package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.HandOffs;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Permits go from one lease of a service to the next, and others get them all the same. */
public abstract class PermitHandOffRules extends SyncFixture {
  private static final int PERMITS = 4;

  private final HandOffs handOffs = new HandOffs();

  protected PermitHandOffRules(LockKit kit) {
    super(kit, "sem");
  }

  private LockService told(UnaryOperator<LockService.Builder> options) {
    return service(builder -> options.apply(builder.listener(handOffs)));
  }

  private DistributedSemaphore with(int permits, UnaryOperator<LockService.Builder> options) {
    DistributedSemaphore semaphore =
        told(builder -> options.apply(builder.leaseTime(LONG))).getSemaphore(name);
    semaphore.resize(permits);
    return semaphore;
  }

  /** Eight threads take and give back permits, until enough was handed off. */
  private void use(DistributedSemaphore semaphore, int rounds, int wanted)
      throws InterruptedException {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    long start = System.nanoTime();
    Crew.run(
        8,
        number -> {
          for (int i = 0; i < rounds || lacks(start, wanted); i++) {
            int permits = number < 6 ? 1 : 2;
            try (Lease lease = semaphore.acquire(permits)) {
              int now = inside.addAndGet(permits);
              assertTrue(now <= PERMITS, () -> now + " permits are in use of " + PERMITS);
              LockSupport.parkNanos(20_000);
              assertTrue(lease.isValid());
              served.incrementAndGet();
              inside.addAndGet(-permits);
            }
          }
        });
    awaitFree(semaphore, PERMITS);
    handOffs.awaitTold(served.get());
  }

  private boolean lacks(long start, int wanted) {
    return handOffs.all() < wanted && System.nanoTime() - start < Await.patience().toNanos();
  }

  @Test
  @Rule({"S1", "L15", "L19", "L20"})
  void aBusyServiceHandsPermitsOffAndNeverMoreThanThereAre(Figures figures)
      throws InterruptedException {
    use(with(PERMITS, builder -> builder), 100, 20);

    assertTrue(handOffs.all() >= 20, () -> handOffs.all() + " hand-offs");
    figures.add("permits handed off", handOffs.all() + " of " + handOffs.begun());
  }

  @Test
  @Rule({"S2", "L12"})
  void aServiceHandsPermitsOffAtMostAsOftenAsItsLimit() throws InterruptedException {
    use(with(PERMITS, builder -> builder.handOffLimit(2)), 50, 5);

    assertTrue(handOffs.all() > 0, "no hand-off happened");
    int most = handOffs.most();
    assertTrue(most <= 2, () -> most + " hand-offs of one acquisition");
  }

  @Test
  @Rule("S2")
  void withoutHandOffsAllWaitInTheStoresOrder() {
    DistributedSemaphore mine = with(1, builder -> builder.handOffLimit(0));
    DistributedSemaphore theirs = semaphore();
    Lease first = take(mine, 1);
    CompletableFuture<Lease> second = queued(mine, 1, 1);
    CompletableFuture<Lease> third = queued(theirs, 1, 2);
    CompletableFuture<Lease> fourth = queued(mine, 1, 3);

    first.close();

    Await.value(second).close();
    Lease next = Await.value(third);
    assertFalse(fourth.isDone());
    next.close();
    Await.value(fourth).close();
    awaitFree(mine, 1);
    handOffs.awaitTold(3);
    assertEquals(0, handOffs.all());
  }

  /** Time passes while the busy service has the permits, also where only tests move it. */
  @Test
  @Rule({"S2", "L10", "L12"})
  void aSingleThreadGetsPermitsFromABusyService(Figures figures) throws InterruptedException {
    DistributedSemaphore theirs = with(2, builder -> builder);
    DistributedSemaphore mine = semaphore();
    BusyService busy =
        new BusyService(
            6,
            number -> {
              theirs.acquire().close();
              if (number == 0) {
                passTime(HAND_OFFS);
              }
            });

    Waits waits =
        busy.waitsOfOneMore(20, time -> mine.tryAcquire(1 + time % 2, LONG).orElseThrow());

    waits.note(figures, "wait for permits of a busy service");
    waits.assertFewSlow();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"S1", "L9"})
  void permitsThatWereLostGoToNobodyHere() {
    DistributedSemaphore mine = with(1, builder -> builder);
    Lease first = take(mine, 1);
    CompletableFuture<Lease> second = queued(mine, 1, 1);
    CompletableFuture<Lease> third = mine.async(1).acquire();

    assertTrue(semaphore().forceRelease());
    Lease next = Await.value(second);

    assertThrows(LeaseLostException.class, first::close);
    assertFalse(third.isDone());
    next.close();
    Await.value(third).close();
    awaitFree(mine, 1);
    Await.until(
        "the loss is told, and no other",
        () -> handOffs.losses().equals(List.of(LossCause.FORCED)));
  }

  @Test
  @Rule({"S4", "L27"})
  void permitsThatAreFreeLaterAreNotHandedOff() {
    DistributedSemaphore mine = with(1, builder -> builder);
    Lease first = take(mine, 1);
    CompletableFuture<Lease> second = queued(mine, 1, 1);
    CompletableFuture<Lease> third = mine.async(1).acquire();

    first.closeAfter(SECOND.multipliedBy(3));

    assertFalse(second.isDone() || third.isDone());
    assertEquals(0, semaphore().availablePermits());
    passTimeUntil("that time is over", SECOND.multipliedBy(6), second::isDone);
    Await.value(second).close();
    Await.value(third).close();
    awaitFree(mine, 1);
  }

  @Test
  @Rule({"S1", "S4"})
  void whatIsLeftAfterAPartWasGivenBackGoesToTheStore() {
    DistributedSemaphore mine = with(2, builder -> builder);
    Lease first = take(mine, 2);
    CompletableFuture<Lease> second = queued(mine, 2, 1);
    CompletableFuture<Lease> third = mine.async(2).acquire();
    first.release(1);

    first.close();

    Lease next = Await.value(second);
    assertFalse(third.isDone());
    assertEquals(0, mine.availablePermits());
    next.close();
    Await.value(third).close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"L9", "L28"})
  void theLongestHoldEndsAlsoWhatWasHandedOff() {
    LockService service =
        told(builder -> builder.leaseTime(SECOND.multipliedBy(2)).maxHold(SECOND.multipliedBy(3)));
    DistributedSemaphore mine = service.getSemaphore(name);
    mine.resize(1);
    Lease first = take(mine, 1);
    CompletableFuture<Lease> second = queued(mine, 1, 1);
    CompletableFuture<Lease> third = mine.async(1).acquire();
    first.close();
    Await.until("one has the permit", () -> second.isDone() || third.isDone());
    boolean handedOff = third.isDone();
    Lease next = Await.value(handedOff ? third : second);

    passTimeUntil("it is lost", SECOND.multipliedBy(6), () -> next.state() == LeaseState.LOST);

    Await.until("that is told", () -> handOffs.losses().contains(LossCause.MAX_HOLD));
    assertThrows(LeaseLostException.class, next::close);
    Await.value(handedOff ? second : third).close();
    awaitFree(mine, 1);
  }

  @Test
  @Rule("L17")
  void closingEndsAlsoThoseThatWaitInTheService() {
    LockService closing = told(builder -> builder);
    DistributedSemaphore mine = closing.getSemaphore(name);
    mine.resize(1);
    Lease first = take(mine, 1);
    CompletableFuture<Lease> second = queued(mine, 1, 1);
    CompletableFuture<Lease> third = mine.async(1).acquire();

    closing.close();

    assertInstanceOf(LockServiceClosedException.class, Await.failure(second));
    assertInstanceOf(LockServiceClosedException.class, Await.failure(third));
    assertFalse(first.isValid());
    awaitFree(semaphore(), 1);
  }
}
