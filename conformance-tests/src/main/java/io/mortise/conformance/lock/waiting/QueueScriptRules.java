package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue in the store, with one live process among frozen, late, dead and unsubscribed ones. */
public abstract class QueueScriptRules extends LockRules {
  private static final Duration OVER = ScriptedClient.WINDOW.plusMillis(50);
  private static final Duration SECONDS = Duration.ofSeconds(3);
  private static final int DEAD = 5_000;

  /** In less time a waiter does not look at so many by its re-checks, each of them 2 s later. */
  private static final Duration RECHECKS = Duration.ofSeconds(5);

  private final FaultyBackend engine = new FaultyBackend(this::backend);

  protected QueueScriptRules(LockKit kit) {
    super(kit);
  }

  @BeforeEach
  void learnTheScripts() {
    LockService service = LockService.builder().backend(engine).open();
    closeLater(service);
    DistributedLock other = service.getLock(name + "-other");
    other.lock();
    other.unlock();
  }

  private ScriptedClient deaf(String called) {
    return new ScriptedClient(backend(), engine, name, name + '~' + called);
  }

  private ScriptedClient client(String called) {
    return deaf(called).listening();
  }

  /** A client that holds the lock. */
  private ScriptedClient holder() {
    ScriptedClient holder = client("holder");
    assertEquals(List.of("HELD"), holder.ask(1));
    return holder;
  }

  @Test
  @Rule({"L10", "A1"})
  void aFrozenHeadAndAStormOfCancelsDoNotKeepALiveWaiterOut() {
    ScriptedClient holder = holder();
    ScriptedClient frozen = client("frozen");
    ScriptedClient restless = client("restless");
    frozen.assertWaits(1);
    DistributedLock theirs = lock();
    Contender live = entering(theirs);
    awaitQueued(2);

    holder.leave(1);
    frozen.awaitMail(1);
    passTimeUntil(
        "the live waiter holds the lock",
        SECONDS,
        () -> {
          restless.ask(1);
          restless.leave(1);
          return live.isInside();
        });

    live.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "A11"})
  void aFrozenProcessWithFiftyWaitersCostsOneGrant() {
    ScriptedClient holder = holder();
    ScriptedClient frozen = client("frozen");
    for (int i = 1; i <= 50; i++) {
      frozen.assertWaits(i);
    }
    DistributedLock theirs = lock();
    Contender live = entering(theirs);
    awaitQueued(51);

    holder.leave(1);
    passTime(OVER);
    client("newcomer").assertWaits(1);

    assertTrue(live.result(), "the other 49 were passed over");
    frozen.awaitMail(1);
    live.leave(theirs::unlock);
  }

  /** One run of a script looks at a thousand waiters. */
  @Test
  @Rule({"L10", "Q2"})
  void aReleaseLooksPastThousandsOfDeadWaitersAtOnce() {
    DistributedLock mine = lock();
    mine.lock();
    ScriptedClient dead = deaf("dead");
    for (int i = 1; i <= DEAD; i++) {
      dead.assertWaits(i);
    }
    DistributedLock theirs = lock();
    Contender live = entering(theirs);
    awaitQueued(DEAD + 1);

    long start = System.nanoTime();
    mine.unlock();

    passTimeUntil("the live waiter holds the lock", SECONDS, live::isInside);
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(RECHECKS) < 0, () -> took + ": it came by re-checks");
    live.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "L11", "A11"})
  void aProcessThatAsksAgainAfterAnUnansweredGrantIsGrantedAgain() {
    ScriptedClient holder = holder();
    ScriptedClient slow = client("slow");
    slow.assertWaits(1);
    holder.leave(1);
    passTime(OVER);
    assertEquals(List.of("HELD"), holder.ask(2));

    slow.assertWaits(2);
    holder.leave(2);

    slow.awaitMail(2);
  }

  @Test
  @Rule({"L10", "L11", "A7"})
  void aWaiterThatCountsAsGoneIsAliveAgainWhenItAsks() {
    holder();
    ScriptedClient slow = client("slow").alive(ScriptedClient.WINDOW);
    ScriptedClient next = client("next");
    slow.assertWaits(1);
    next.assertWaits(1);
    passTime(OVER);
    next.assertWaits(1); // it asks again, so it lives for longer than its ticket says
    deleteKey();

    assertEquals(List.of("HELD"), slow.ask(1));
    slow.leave(1);

    next.awaitMail(1);
  }

  @Test
  @Rule({"L10", "L11", "A7"})
  void aWaiterThatAsksAfterItWasPassedOverCallsTheNext() {
    holder();
    ScriptedClient slow = client("slow");
    ScriptedClient next = client("next");
    next.assertWaits(1);
    slow.alive(ScriptedClient.WINDOW).assertWaits(1);
    passTime(OVER);
    next.assertWaits(1); // it asks again, so it lives for longer than its ticket says
    deleteKey();

    slow.assertWaits(1);

    next.awaitMail(1);
  }

  @Test
  @Rule("L10")
  void aWaiterThatIsGoneIsPassedOver() {
    ScriptedClient holder = holder();
    ScriptedClient dead = client("dead").alive(ScriptedClient.WINDOW);
    dead.assertWaits(1);
    ScriptedClient next = client("next");
    next.assertWaits(1);
    passTime(OVER);
    next.assertWaits(1); // it asks again, so it lives for longer than its ticket says

    holder.alive(ScriptedClient.WINDOW).leave(1);

    next.awaitMail(1);
    dead.awaitMail(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"queue", "alive"})
  @Rule({"L11", "A8"})
  void waitersThatLostHalfTheirStateComeBackInTheirOrder(String deleted) {
    ScriptedClient holder = holder();
    ScriptedClient first = client("first");
    ScriptedClient second = client("second");
    first.assertWaits(1);
    second.assertWaits(1);
    runOn("mortise:" + deleted + ":{" + name + "}", "return {redis.call('DEL', KEYS[1])}");

    second.assertWaits(1);
    first.assertWaits(1);
    holder.leave(1);

    first.awaitMail(1);
    first.leave(1);
    second.awaitMail(1);
  }

  @Test
  @Rule({"L11", "A3"})
  void aConfirmationAfterTheGrantsEndGoesBackToItsPlace() {
    ScriptedClient holder = holder();
    ScriptedClient late = client("late");
    late.assertWaits(1);
    DistributedLock theirs = lock();
    Contender live = entering(theirs);
    awaitQueued(2);
    holder.leave(1);
    passTime(OVER);
    ScriptedClient newcomer = client("newcomer");
    newcomer.assertWaits(1);
    assertTrue(live.result(), "the next waiter got the lock");

    late.assertWaits(1);
    live.leave(theirs::unlock);

    late.awaitMail(2);
    newcomer.awaitMail(0);
  }

  @Test
  @Rule({"L9", "L10", "A13"})
  void aForcedUnlockOfAFrozenHolderGoesToTheNextWaiter() {
    ScriptedClient frozen = holder();
    DistributedLock theirs = lock();
    Contender waiter = entering(theirs);
    awaitQueued(1);

    assertTrue(lock().forceUnlock());

    assertTrue(waiter.result(), "only the script could grant the lock");
    waiter.leave(theirs::unlock);
    String told = "lost|" + frozen.id(1) + "|mortise:lock:{" + name + "}";
    assertEquals(List.of(told), frozen.awaitMail(1));
  }

  @Test
  @Rule({"L10", "A9"})
  void aWaiterWithoutAMailboxSubscriberIsPassedOver() {
    assumeTrue(backend().info().publishCounts(), "the store does not know who hears a message");
    ScriptedClient holder = holder();
    ScriptedClient next = client("next");
    deaf("deaf").assertWaits(1);
    next.assertWaits(1);

    holder.leave(1);

    next.awaitMail(1);
  }

  @Test
  @Rule({"L11", "A10"})
  void whereReadersAreNotCountedNobodyIsPassedOver() {
    ScriptedClient holder = holder().notCounting();
    ScriptedClient unseen = deaf("unseen");
    ScriptedClient next = client("next");
    unseen.assertWaits(1);
    next.assertWaits(1);

    holder.leave(1);

    assertEquals(List.of("HELD"), unseen.ask(1));
    next.awaitMail(0);
  }
}
