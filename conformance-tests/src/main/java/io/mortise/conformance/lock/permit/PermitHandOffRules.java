package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.HandOffCases;
import io.mortise.conformance.lock.fixture.HandOffCases.Subject;
import io.mortise.conformance.lock.fixture.HandOffCases.Three;
import io.mortise.conformance.lock.fixture.HandOffs;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Permits go from one lease of a service to the next, and others get them all the same. */
public abstract class PermitHandOffRules extends SyncFixture {
  private static final int PERMITS = 4;

  private final HandOffCases cases =
      new HandOffCases(
          this,
          backend(),
          new Subject(
              service -> onePermit(service).async(1),
              () -> semaphore().availablePermits() == 0,
              () -> semaphore().forceRelease(),
              this::awaitWaiting,
              () -> awaitFree(semaphore(), 1)));

  private final HandOffs handOffs = cases.handOffs();

  protected PermitHandOffRules(LockKit kit) {
    super(kit, "sem");
  }

  private DistributedSemaphore onePermit(LockService service) {
    DistributedSemaphore semaphore = service.getSemaphore(name);
    semaphore.resize(1);
    return semaphore;
  }

  private DistributedSemaphore with(int permits, UnaryOperator<LockService.Builder> options) {
    DistributedSemaphore semaphore = cases.told(options).getSemaphore(name);
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
          for (int i = 0; i < rounds || handOffs.lack(wanted, start); i++) {
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

    cases.assertWithinLimit(2);
  }

  @Test
  @Rule("S2")
  void withoutHandOffsAllWaitInTheStoresOrder() {
    cases.withoutHandOffsAllWaitInTheStoresOrder();
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
    cases.whatWasLostGoesToNobodyHere();
  }

  @Test
  @Rule({"S4", "L27"})
  void permitsThatAreFreeLaterAreNotHandedOff() {
    cases.whatIsFreeLaterIsNotHandedOff();
  }

  @Test
  @Rule({"S1", "S4"})
  void whatIsLeftAfterAPartWasGivenBackGoesToTheStore() {
    DistributedSemaphore semaphore = with(2, builder -> builder);
    Three mine = cases.three(semaphore.async(2));
    mine.first().release(1);

    mine.first().close();

    Lease next = Await.value(mine.second());
    assertFalse(mine.third().isDone());
    assertEquals(0, semaphore.availablePermits());
    next.close();
    Await.value(mine.third()).close();
    awaitFree(semaphore, 2);
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
}
