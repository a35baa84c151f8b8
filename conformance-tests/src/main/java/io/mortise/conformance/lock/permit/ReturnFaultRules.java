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
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Permits that a lease gives back by commands that are lost, late or repeated. */
public abstract class ReturnFaultRules extends SyncFixture {
  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final DistributedSemaphore mine = semaphore(4);
  private final DistributedSemaphore theirs =
      service(link, builder -> builder.leaseTime(LONG)).getSemaphore(name);

  protected ReturnFaultRules(LockKit kit) {
    super(kit, "sem");
  }

  @Test
  @Rule({"S1", "L14"})
  void aCommandThatIsRepeatedGivesBackOnce() {
    Lease lease = take(theirs, 4);
    HeldCall giving = link.hold("sem-return");
    CompletableFuture<Void> given = lease.releaseAsync(1);
    assertEquals(List.of("RELEASED"), giving.arrive());
    assertEquals(List.of("RELEASED"), giving.arrive());
    giving.lose();

    Await.value(given); // the service repeats it in the background

    assertEquals(1, mine.availablePermits());
    assertTrue(lease.isValid());
    lease.release(2);
    assertEquals(3, mine.availablePermits());
    assertEquals(List.of("RELEASED"), giving.arrive());
    assertEquals(3, mine.availablePermits(), "an earlier command takes nothing back");
    lease.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S1", "L14"})
  void aCommandThatComesAfterALaterOneGivesBackNothing() {
    Lease lease = take(theirs, 4);
    HeldCall late = link.hold("sem-return");
    CompletableFuture<Void> first = lease.releaseAsync(1);
    late.awaitSent();

    lease.release(2);

    assertEquals(3, mine.availablePermits(), "a command has the sum");
    assertEquals(List.of("RELEASED"), late.pass());
    Await.value(first);
    assertEquals(3, mine.availablePermits());
    lease.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S1", "S4", "L14"})
  void aCommandThatComesAfterTheEndChangesNothing() {
    Lease lease = take(theirs, 4);
    HeldCall late = link.hold("sem-return");
    CompletableFuture<Void> given = lease.releaseAsync(1);
    late.awaitSent();
    lease.close();
    Lease all = take(mine, 4);

    assertEquals(List.of("ABSENT"), late.pass());

    Await.value(given); // the lease was released, and not lost
    assertEquals(LeaseState.RELEASED, lease.state());
    assertEquals(0, mine.availablePermits());
    all.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S4", "L14"})
  void withoutAStoreThePermitsComeBackInTheBackground() {
    Lease lease = take(theirs, 4);
    link.set("sem-return", Link.DOWN, 3);

    lease.release(3);

    assertEquals(1, lease.permits());
    assertEquals(0, mine.availablePermits());
    passTimeUntil("they come back", SECOND.multipliedBy(4), () -> mine.availablePermits() == 3);
    lease.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S4", "L14"})
  void theEndOfALeaseEndsWhatIsRepeatedInTheBackground() {
    Lease lease = take(theirs, 4);
    link.set("sem-return", Link.REQUEST_LOST, Integer.MAX_VALUE);
    lease.release(3);
    lease.releaseAsync(1).join();
    awaitFree(mine, 4);
    link.set(Link.UP);
    HeldCall none = link.hold("sem-return");

    passTime(SECOND.multipliedBy(5));

    assertFalse(none.isSent());
  }

  @Test
  @Rule({"L10", "S2", "Q5"})
  void aWaiterGrantedInALostReplyAsksAndHoldsItsPermits() {
    Lease all = take(theirs, 4);
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);
    link.set("sem-return", Link.REPLY_LOST, 1);

    all.release(3);

    assertEquals(1, mine.availablePermits(), "the waiting request has its permits");
    passTimeUntil("the request asks", SECOND.dividedBy(2), two::isDone);
    Await.value(two).close();
    all.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"L10", "S2", "Q5"})
  void aWaiterGrantedInALostReplyAsksAlsoIfTheLeaseEndsBeforeTheRepetition() {
    Lease all = take(theirs, 4);
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);
    link.set("sem-return", Link.REPLY_LOST, 2);

    all.release(3);
    all.close();

    passTimeUntil("the request asks", SECOND.dividedBy(2), two::isDone);
    Await.value(two).close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"L9", "S4"})
  void aLeaseThatTheStoreNoLongerHasIsReportedLost() {
    for (boolean async : new boolean[] {false, true}) {
      Lease lease = take(theirs, 4);
      runOn(key("permits"), "return {redis.call('DEL', KEYS[1])}");
      if (async) {
        assertInstanceOf(LeaseLostException.class, Await.failure(lease.releaseAsync(1)));
      } else {
        assertThrows(LeaseLostException.class, () -> lease.release(1));
      }
      assertEquals(LeaseState.LOST, lease.state());
      mine.resize(4);
    }
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S1", "L9"})
  void aCommandThatComesAfterTheLeaseRevivesNothing() {
    Lease brief = take(theirs.withLease(SECOND), 4);
    HeldCall late = link.hold("sem-return");
    HeldCall leaving = link.hold("sem-leave"); // keeps the permits in the store until then
    CompletableFuture<Void> given = brief.releaseAsync(1);
    late.awaitSent();
    passTime(SECOND.plusMillis(50));

    assertEquals(List.of("ABSENT"), late.pass());

    assertInstanceOf(LeaseLostException.class, Await.failure(given));
    assertEquals(4, mine.availablePermits());
    leaving.pass();
    awaitFree(mine, 4);
  }
}
