package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A semaphore whose messages and commands get lost or come late, and whose waiters are gone. */
public abstract class PermitFaultRules extends SyncFixture {

  /** How long the lease that ends first still lasts, in milliseconds. */
  private static final String LEFT =
      """
      local time = redis.call('TIME')
      local ends = redis.call('ZRANGE', KEYS[1], 2, 2, 'WITHSCORES')[2]
      return {tonumber(ends) - math.floor(time[1] * 1000 + time[2] / 1000)}
      """;

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final DistributedSemaphore mine = semaphore(3);
  private final DistributedSemaphore theirs =
      service(link, builder -> builder.leaseTime(LONG)).getSemaphore(name);

  protected PermitFaultRules(LockKit kit) {
    super(kit, "sem");
  }

  @BeforeEach
  void learnTheScripts() {
    take(theirs, 1).close();
  }

  private ScriptedClient client(String called, int permits) {
    return ScriptedClient.of(backend(), link, name, name + '~' + called, permits).listening();
  }

  @Test
  @Rule({"L10", "L11", "A3"})
  void missingMessagesCostARecheckAndNotThePlace() {
    Lease all = take(mine, 3);
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);
    CompletableFuture<Lease> one = waiting(theirs, 1, 2);
    CompletableFuture<Lease> next = waiting(mine, 1, 3);
    link.mail().set(Fate.LOST);

    all.close();

    assertEquals(0, mine.availablePermits(), "the permits are granted");
    passTimeUntil("both requests ask", RECHECK, () -> two.isDone() && one.isDone());
    assertFalse(next.isDone());
    Await.value(two).close();
    Await.value(one).close();
    Await.value(next).close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S1", "L14"})
  void permitsThatAreAskedForAgainAreTakenOnce() {
    link.set("sem-acquire", Link.REPLY_LOST, 1);
    CompletableFuture<Lease> one = theirs.async(1).acquire();
    passTimeUntil("the request is repeated", SECOND.multipliedBy(4), one::isDone);
    assertEquals(2, mine.availablePermits());
    Await.value(one).close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S1", "L14"})
  void permitsThatAreGivenBackAgainComeBackOnce() {
    Lease one = take(mine, 1);
    Lease two = take(theirs, 2);
    HeldCall giving = link.hold("sem-leave");
    CompletableFuture<Void> given = two.releaseAsync();
    assertEquals(List.of(1L), giving.arrive());
    giving.lose();
    Await.value(given); // the service repeats it in the background

    assertEquals(List.of("ABSENT"), giving.arrive());

    assertEquals(2, mine.availablePermits());
    one.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L14", "A4"})
  void anAttemptWithoutAnswerIsWithdrawnAlsoIfItArrivesLater() {
    HeldCall late = link.hold("sem-acquire");
    HeldCall withdrawal = link.hold("sem-leave");
    Contender unlucky = contender(() -> theirs.tryAcquire(3).isPresent());

    late.lose();

    assertInstanceOf(OutcomeUnknownException.class, unlucky.failure());
    withdrawal.awaitSent();
    withdrawal.pass();
    assertEquals(List.of("TOO_LATE"), late.arrive());
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L10", "A6"})
  void permitsGrantedToOneThatHasGivenUpAreGivenBackAtOnce() {
    Lease all = take(mine, 3);
    CompletableFuture<Lease> quitter = waiting(theirs, 3, 1);
    CompletableFuture<Lease> next = waiting(mine, 2, 2);
    HeldCall leaving = link.hold("sem-leave");
    quitter.cancel(false);
    leaving.awaitSent();

    all.close(); // grants to the request that is about to leave

    Lease two = Await.value(next);
    leaving.pass();
    two.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L10", "S2", "Q5"})
  void aWaiterGrantedInALostReplyAsksAndHoldsItsPermits() {
    Lease all = take(theirs, 3);
    CompletableFuture<Lease> two = waiting(theirs, 2, 1);
    link.set("sem-leave", Link.REPLY_LOST, 1);

    all.close();

    assertEquals(1, mine.availablePermits(), "the waiting request has its permits");
    passTimeUntil("the request asks", SECOND.dividedBy(2), two::isDone);
    Await.value(two).close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L10", "A6", "Q5"})
  void aGrantToAWaiterThatHasGivenUpIsReleasedAtOnce() {
    Lease all = take(theirs, 3);
    CompletableFuture<Lease> quitter = waiting(theirs, 3, 1);
    HeldCall leaving = link.hold("sem-leave");
    quitter.cancel(false);
    leaving.awaitSent();

    all.close(); // its reply grants to the request that is about to leave

    awaitFree(mine, 3);
    leaving.pass();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L9", "S4", "Q5"})
  void aGrantInAReplyCountsItsLeaseFromBeforeTheRelease() {
    Lease all = take(theirs, 3);
    CompletableFuture<Lease> waiter = waiting(theirs, 3, 1);
    HeldCall giving = link.hold("sem-leave");
    CompletableFuture<Void> given = all.releaseAsync();
    giving.arrive();
    passTime(SECOND);
    giving.reply();

    Lease next = Await.value(waiter);

    Duration longest = LONG.minus(SECOND);
    assertTrue(next.remaining().compareTo(longest) <= 0, () -> next + ", of " + longest);
    Await.value(given);
    passTime(Duration.ofMillis(3500)); // longer than a grant window
    assertEquals(0, mine.availablePermits());
    next.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"S3", "Q5"})
  void aReplyGrantsNothingToARequestForTooMany() {
    Lease two = take(theirs, 2);
    CompletableFuture<Lease> next = waiting(theirs, 2, 1);
    CompletableFuture<Lease> greedy = waiting(theirs, 3, 2);
    mine.resize(2);

    two.close();

    Await.value(next).close();
    assertInstanceOf(IllegalArgumentException.class, Await.failure(greedy));
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"L9", "S4", "Q5"})
  void aFixedLeaseIsNotMadeLonger() {
    Duration fixed = Duration.ofSeconds(4);
    Lease all = take(theirs, 3);
    CompletableFuture<Lease> waiter = waiting(theirs.withLease(fixed), 3, 1);

    all.close();

    Await.value(waiter);
    Object left = runOn(key("permits"), LEFT).get(0);
    assertTrue((Long) left <= fixed.toMillis(), left + " ms left in the store");
    waiter.join().close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule({"L10", "S4", "A11"})
  void frozenWaitersCostOneGrantHoweverManyTheyAre() {
    ScriptedClient holder = client("holder", 3);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient frozen = client("frozen", 2);
    for (int i = 1; i <= 10; i++) {
      frozen.assertWaits(i);
    }
    ScriptedClient next = client("next", 3);
    next.assertWaits(1);

    holder.leave(1);

    frozen.awaitMail(1);
    next.assertWaits(1);
    passTime(ScriptedClient.WINDOW.plusMillis(50));
    assertEquals(List.of("HELD"), next.ask(1));
  }

  @Test
  @Rule({"L10", "S2", "A7"})
  void aWaiterThatIsGoneKeepsSmallerOnesOutForSecondsOnly() {
    Lease one = take(mine, 1);
    Duration life = Duration.ofSeconds(3); // longer than a slow machine takes to ask twice
    client("gone", 3).alive(life).assertWaits(1);
    ScriptedClient next =
        client("next", 1).alive(life); // by its own time, those before it are gone
    next.assertWaits(1);

    passTime(life.plusMillis(50));

    assertEquals(List.of("HELD"), next.ask(1));
    assertTrue(one.isValid());
  }

  @Test
  @Rule({"S2", "L11", "A3"})
  void oneThatConfirmsTooLateGoesBackToItsPlace() {
    ScriptedClient holder = client("holder", 3);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient late = client("late", 1);
    late.assertWaits(1);
    holder.leave(1);
    late.awaitMail(1);
    passTime(ScriptedClient.WINDOW.plusMillis(50));
    assertEquals(List.of("HELD"), holder.ask(2));
    CompletableFuture<Lease> newcomer = waiting(mine, 3, 1);

    late.assertWaits(1);
    holder.leave(2);

    late.awaitMail(2);
    assertEquals(List.of("HELD"), late.ask(1));
    assertFalse(newcomer.isDone());
    late.leave(1);
    Await.value(newcomer).close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule("S4")
  void permitsOfAnEndedLeaseAreFreeBeforeAnybodyHasTakenThemBack() {
    ScriptedClient gone = client("gone", 1).lease(ScriptedClient.WINDOW);
    assertEquals(List.of("HELD"), gone.ask(1));
    assertEquals(List.of("HELD"), gone.ask(2));
    assertEquals(1, mine.availablePermits());

    passTime(ScriptedClient.WINDOW.plusMillis(50));

    assertEquals(3, mine.availablePermits());
    assertTrue(mine.tryAcquire(3).isPresent());
    assertEquals(0, mine.availablePermits());
  }

  @Test
  @Rule({"S1", "A5"})
  void anAcquireThatComesAgainCutsNoLeaseShort() {
    ScriptedClient holder = client("holder", 3);
    assertEquals(List.of("HELD"), holder.ask(1));

    assertEquals(List.of("HELD"), holder.lease(ScriptedClient.WINDOW).ask(1));

    passTime(ScriptedClient.WINDOW.plusMillis(50));
    assertEquals(Optional.empty(), mine.tryAcquire());
  }

  @Test
  @Rule({"S1", "L9"})
  void aRenewalThatComesTooLateRevivesNothing() {
    Duration lease = SECOND; // the renewal is sent before its end, on a busy machine
    Lease brief = take(theirs.withLease(lease), 2);
    HeldCall late = link.hold("renew");
    // keeps the permits in the store until the renewal comes
    HeldCall leaving = link.hold("sem-leave");
    CompletableFuture<Boolean> extended = brief.extendAsync(LONG);
    late.awaitSent();
    passTime(lease.plusMillis(50));

    assertEquals(List.of(0L), late.pass());

    assertFalse(Await.value(extended));
    assertEquals(3, mine.availablePermits());
    leaving.pass();
    awaitFree(mine, 3);
  }
}
