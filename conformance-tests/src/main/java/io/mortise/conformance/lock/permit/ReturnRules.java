package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockStatus;
import io.mortise.LossCause;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A lease that gives back some of its permits, from then until its end. */
public abstract class ReturnRules extends SyncFixture {
  private static final Duration LEASE = Duration.ofSeconds(3);

  protected ReturnRules(LockKit kit) {
    super(kit, "sem");
  }

  /** How many members the semaphore has: two of its own, and up to two for each holder. */
  private long members() {
    return sizeOf(key("permits"));
  }

  private String idIn(LockService service) {
    List<LockStatus.Holder> holders = service.find(name, 9).get(0).holders();
    assertEquals(1, holders.size(), holders::toString);
    return holders.get(0).id();
  }

  @Test
  @Rule({"S4", "S1"})
  void thePermitsThatALeaseGivesBackAreFreeAndItKeepsTheOthers() {
    DistributedSemaphore mine = semaphore(5);
    DistributedSemaphore theirs = semaphore();
    Lease lease = take(mine, 4);

    lease.release(1);

    assertEquals(3, lease.permits());
    assertTrue(lease.isValid());
    assertEquals(2, theirs.availablePermits());
    assertEquals(3, theirs.usedPermits());
    assertEquals(5, theirs.totalPermits());
    lease.releaseAsync(2).join();
    assertEquals(1, lease.permits());
    assertEquals(Optional.empty(), theirs.tryAcquire(5));
    Lease others = take(theirs, 4);
    assertTrue(lease.extend(LONG));
    assertEquals(0, mine.availablePermits());
    lease.close();
    assertEquals(1, lease.permits(), "its end does not change the number");
    assertEquals(1, mine.availablePermits());
    others.close();
    awaitFree(mine, 5);
    assertEquals(2, members());
  }

  @Test
  @Rule("S4")
  void toGiveBackAllIsToCloseTheLease() {
    DistributedSemaphore mine = semaphore(3);
    Lease one = take(mine, 1);
    one.release(1);
    assertEquals(LeaseState.RELEASED, one.state());
    assertEquals(0, one.permits());
    Lease two = take(mine, 2);
    two.release(1);
    two.releaseAsync(1).join();
    assertEquals(LeaseState.RELEASED, two.state());
    two.close();
    awaitFree(mine, 3);
    assertEquals(2, members());
  }

  @Test
  @Rule({"S2", "S4", "L10"})
  void whatIsGivenBackIsGrantedInOrderInThisProcessAndInOthers() {
    DistributedSemaphore mine = semaphore(4);
    DistributedSemaphore theirs = semaphore();
    Lease all = take(mine, 4);
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);
    CompletableFuture<Lease> one = waiting(mine, 1, 2);
    CompletableFuture<Lease> last = waiting(theirs, 1, 3);

    all.release(1);

    assertEquals(1, theirs.availablePermits(), "the first wants two, and nobody overtakes it");
    assertTrue(areWaiting(3));
    assertEquals(Optional.empty(), theirs.tryAcquire());
    all.releaseAsync(1).join();
    Lease first = Await.value(two);
    assertTrue(areWaiting(2));
    all.release(1);
    Lease second = Await.value(one);
    assertFalse(last.isDone());
    assertTrue(all.isValid());
    all.close();
    Await.value(last).close();
    first.close();
    second.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S4", "L10"})
  void aThreadThatWaitsGetsWhatAnotherLeaseGivesBack() {
    DistributedSemaphore mine = semaphore(2);
    DistributedSemaphore theirs = semaphore();
    Lease all = take(mine, 2);
    Lease[] got = new Lease[1];
    Contender waiter =
        contender(() -> {
          got[0] = theirs.acquire();
          return true;
        });
    awaitWaiting(1);

    all.release(1);

    assertTrue(waiter.result());
    assertEquals(0, mine.availablePermits());
    waiter.leave(() -> got[0].close());
    all.close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"S1", "S4", "L9"})
  void aLeaseThatEndsByItselfLeavesOnlyWhatItHasKept() {
    DistributedSemaphore mine = semaphore(3);
    DistributedSemaphore theirs = semaphore();
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    Lease brief =
        take(mine.withLease(SECOND.multipliedBy(2)), 3).onLost(event -> told.add(event.state()));
    brief.release(2);
    Lease one = take(theirs, 1);
    assertEquals(1, mine.availablePermits());
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);

    passTimeUntil("the lease is over", SECOND.multipliedBy(4), two::isDone);

    Await.until("the loss is reported", () -> told.equals(List.of(LeaseState.LOST)));
    assertEquals(0, mine.availablePermits());
    assertEquals(4, members());
    assertThrows(LeaseLostException.class, () -> brief.release(1));
    assertEquals(1, brief.permits());
    one.close();
    Await.value(two).close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S1", "S4"})
  void anEndedLeaseThatNobodyHasRemovedCountsAsWhatItHadKept() {
    DistributedSemaphore mine = semaphore(3);
    LockService gone = service(builder -> builder.leaseTime(LEASE));
    Lease lost = take(gone.getSemaphore(name).withLease(LEASE), 3);
    lost.release(2);
    String copy =
        "local id = redis.call('ZRANGE', KEYS[1], 2, 2)[1]"
            + " redis.call('ZADD', KEYS[1], 1000, id) return {redis.call('ZCARD', KEYS[1])}";
    assertEquals(List.of(4L), runOn(key("permits"), copy), "its time in the store is over now");

    assertEquals(3, mine.availablePermits());
    assertEquals(0, mine.usedPermits());
    Lease all = take(mine, 3);
    assertEquals(3, members());
    assertFalse(lost.extend(LEASE));
    all.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S4", "L8"})
  void aLeaseThatGaveSomeBackIsRenewed() {
    DistributedSemaphore mine = semaphore(4);
    Lease lease = take(service(options -> options.leaseTime(LEASE)).getSemaphore(name), 3);
    lease.release(1);

    passTime(LEASE.multipliedBy(2));

    assertTrue(lease.isValid());
    assertEquals(2, mine.availablePermits());
    lease.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S1", "S4", "L28"})
  void theLongestHoldEndsWhatALeaseHasKept() {
    DistributedSemaphore mine = semaphore(3);
    List<LossCause> told = new CopyOnWriteArrayList<>();
    Lease lease =
        take(
                service(options -> options.leaseTime(LEASE).maxHold(LEASE.plus(SECOND)))
                    .getSemaphore(name),
                3)
            .onLost(event -> told.add(event.cause().orElseThrow()));
    lease.release(2);

    passTimeUntil("its longest hold is over", LEASE.multipliedBy(2), () -> !lease.isValid());

    Await.until("the loss is reported", () -> told.equals(List.of(LossCause.MAX_HOLD)));
    awaitFree(mine, 3);
    assertEquals(2, members());
  }

  @Test
  @Rule({"S1", "L9", "L29"})
  void aForcedReleaseEndsTheHolderAndNotWhatItGaveBack() {
    DistributedSemaphore mine = semaphore(3);
    LockService theirs = patient();
    DistributedSemaphore forced = theirs.getSemaphore(name);
    Lease all = take(mine, 3);
    all.release(2);
    String id = idIn(theirs);
    assertFalse(forced.forceRelease('-' + id), "no holder has that name");
    assertEquals(2, mine.availablePermits());

    assertTrue(forced.forceRelease(id));

    Await.until("the holder knows the loss", () -> !all.isValid());
    awaitFree(mine, 3);
    assertThrows(LeaseLostException.class, () -> all.release(1));
    Lease again = take(mine, 3);
    again.release(1);
    assertTrue(forced.forceRelease());
    assertFalse(forced.forceRelease(), "nothing but the counters is left");
    assertEquals(2, members());
    Await.until("the holder knows the loss", () -> !again.isValid());
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S4", "L27"})
  void aLeaseThatIsLeftLaterKeepsNoMoreThanItHad() {
    DistributedSemaphore mine = semaphore(3);
    Lease lease = take(mine, 3);
    lease.release(2);

    lease.closeAfter(SECOND.multipliedBy(2));

    assertEquals(2, mine.availablePermits());
    assertEquals(4, members());
    Lease two = take(mine, 2);
    passTimeUntil("the rest is over", SECOND.multipliedBy(5), () -> mine.availablePermits() == 1);
    two.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule("S3")
  void aResizeCountsWhatLeasesHaveKept() {
    DistributedSemaphore mine = semaphore(5);
    Lease lease = take(mine, 5);
    lease.release(2);
    mine.resize(2);
    assertEquals(3, mine.usedPermits());
    assertEquals(0, mine.availablePermits());
    CompletableFuture<Lease> one = waiting(semaphore(), 1, 1);
    lease.release(1);
    assertTrue(areWaiting(1), "two of two permits are still held");
    lease.release(1);
    Await.value(one).close();
    lease.close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule("L18")
  void whatALeaseDoesNotHaveIsNotGivenBack() {
    DistributedSemaphore mine = semaphore(3);
    Lease lease = take(mine, 2);
    for (int wrong : new int[] {0, -1, Integer.MIN_VALUE, 3, Integer.MAX_VALUE}) {
      Runnable async =
          () -> {
            var unused = lease.releaseAsync(wrong);
          };
      for (Runnable call : List.<Runnable>of(() -> lease.release(wrong), async)) {
        String said =
            String.valueOf(assertThrows(IllegalArgumentException.class, call::run).getMessage());
        assertTrue(
            said.contains("semaphore '" + name + "', which has 2")
                && said.startsWith(wrong + " permits"),
            said);
      }
    }
    assertEquals(1, mine.availablePermits());
    lease.close();
    String said =
        String.valueOf(
            assertThrows(IllegalStateException.class, () -> lease.release(1)).getMessage());
    assertTrue(said.contains("was released; acquire again"), said);
    assertThrows(IllegalStateException.class, () -> lease.releaseAsync(1));
    awaitFree(mine, 3);
  }

  @Test
  @Rule("L18")
  void aLeaseOfALockHasOnePermit() throws InterruptedException {
    Lease lease = service().getLock(name).acquire();
    assertThrows(IllegalArgumentException.class, () -> lease.release(2));
    assertTrue(lease.isValid());
    lease.release(1);
    assertEquals(LeaseState.RELEASED, lease.state());
    assertThrows(IllegalStateException.class, () -> lease.release(1));
  }
}
