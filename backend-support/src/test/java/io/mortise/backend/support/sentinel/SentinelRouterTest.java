package io.mortise.backend.support.sentinel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.BrokenPool;
import io.mortise.backend.support.sentinel.FakeSet.FakeSentinel;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SentinelRouterTest {
  private static final ScriptCall CALL =
      new ScriptCall(Script.of("s", "return 1"), List.of(), List.of(), Duration.ofSeconds(5));

  private final FakeSet set = new FakeSet();
  private final FakeSentinel one = set.sentinelAt("s1:1", "old:1", 1);
  private final FakeSentinel two = set.sentinelAt("s2:1", "old:1", 1);
  private final List<SentinelRouter> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(SentinelRouter::close);
  }

  private SentinelRouter open() {
    URI uri = URI.create("redis-sentinel://s1:1,s2:1#m");
    SentinelRouter router = new SentinelRouter(set, SentinelAddress.of(uri), Duration.ofSeconds(5));
    opened.add(router);
    return router;
  }

  /** The one that was opened last. */
  private SentinelRouter router() {
    return opened.get(opened.size() - 1);
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > Duration.ofSeconds(20).toNanos();
      assertFalse(late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private void awaitMaster(String place) {
    await(place + " is the master", () -> router().execute(CALL).equals(List.of(place)));
  }

  /** Asks a sentinel once more and waits until its answer has had its effect, if any. */
  private void hear(FakeSentinel sentinel) {
    int before = sentinel.asked;
    sentinel.tells();
    await("it was asked", () -> sentinel.asked > before);
    // An answer is taken before the next question of the same sentinel is asked.
    int again = sentinel.asked;
    sentinel.tells();
    await("it was asked again", () -> sentinel.asked > again);
  }

  private static final class Signs implements ChannelListener {
    final List<String> heard = new CopyOnWriteArrayList<>();

    @Override
    public void onSubscribed() {
      heard.add("+");
    }

    @Override
    public void onMessage(String message) {
      heard.add(message);
    }

    @Override
    public void onInterrupted(Throwable cause) {
      heard.add("-");
    }
  }

  @Test
  @DisplayName("B23: one sentinel that names a new master is enough, and the old backend is closed")
  void oneSentinelIsEnough() {
    open();
    assertEquals(List.of("old:1"), router().execute(CALL));
    one.names("new:1", 2, "master");
    one.tells();
    awaitMaster("new:1");
    await("the old one is closed", () -> set.at("old:1").closed);
  }

  private List<String> argsAt(String place, ScriptCall call) {
    assertEquals(List.of(place), router().execute(call));
    List<String> inTurn = set.at(place).lastArgs;
    router().executeAsync(call).join();
    assertEquals(inTurn, set.at(place).lastArgs);
    router().executeAll(List.of(call)).get(0).join();
    assertEquals(inTurn, set.at(place).lastArgs);
    return inTurn;
  }

  @Test
  @DisplayName("B23: an error while a master is opened is no end: it is opened again")
  void anErrorAtOpening() {
    open();
    awaitMaster("old:1");
    set.broken.add("new:1");
    one.names("new:1", 2, "master");
    one.tells();
    await("the opening ended in an error", set.broken::isEmpty);
    await("the new one is the master", () -> answers("new:1"));
  }

  private boolean answers(String place) {
    try {
      return router().execute(CALL).equals(List.of(place));
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName("B23: a call that wants the failover's number gets that of the master it goes to")
  void theNumberOfTheFailover() {
    ScriptCall wants =
        new ScriptCall(CALL.script(), List.of(), List.of("a"), CALL.timeout()).withEpoch();
    open();
    assertEquals(List.of("a", "1"), argsAt("old:1", wants));
    assertEquals(List.of(), argsAt("old:1", CALL));
    one.names("new:1", 4, "master");
    one.tells();
    awaitMaster("new:1");
    assertEquals(List.of("a", "4"), argsAt("new:1", wants));
    two.names("new:1", 7, "master");
    two.tells();
    await(
        "the number is known",
        () -> {
          router().execute(wants);
          return set.at("new:1").lastArgs.equals(List.of("a", "7"));
        });
    assertEquals(List.of("a", "7"), argsAt("new:1", wants));
  }

  @Test
  @DisplayName("B23: while only the leader of a failover is known, the failover has no number")
  void theNumberDuringAFailover() {
    one.names("old:1", 3, "master,failover_in_progress");
    two.names("old:1", 3, "master,failover_in_progress");
    open();
    assertEquals(List.of("0"), argsAt("old:1", CALL.withEpoch()));
  }

  @Test
  @DisplayName("B23: a sentinel with a lower epoch is not believed")
  void anOldEpochIsIgnored() {
    one.names("new:1", 2, "master");
    open();
    assertEquals(List.of("new:1"), router().execute(CALL));
    hear(two);
    assertEquals(List.of("new:1"), router().execute(CALL));
    assertFalse(set.at("new:1").closed);
  }

  @Test
  @DisplayName("B23: the leader's answer during a failover, new epoch and old place, counts least")
  void theLeaderInBetween() {
    open();
    one.names("old:1", 2, "s_down,o_down,master,disconnected,failover_in_progress");
    hear(one);
    two.names("new:1", 2, "master");
    two.tells();
    awaitMaster("new:1");
    hear(one);
    assertEquals(List.of("new:1"), router().execute(CALL));
  }

  @Test
  @DisplayName("B16: the answer of a leader during a failover is used if there is no other")
  void onlyALeaderAnswers() {
    set.down.add("s2:1");
    one.names("old:1", 2, "master,failover_in_progress");
    open();
    assertEquals(List.of("old:1"), router().execute(CALL));
    one.names("new:1", 2, "master");
    one.tells();
    awaitMaster("new:1");
  }

  @Test
  @DisplayName("B11, B23: a subscription has one gap, and hears the new master alone")
  void subscriptionsMove() {
    open();
    Signs signs = new Signs();
    router().subscribe("channel", signs);
    await("it is subscribed", () -> signs.heard.equals(List.of("+")));
    ChannelListener before = set.at("old:1").listeners.get(0);
    set.down.add("new:1");
    one.names("new:1", 2, "master");
    one.tells();
    await("the gap was reported", () -> signs.heard.equals(List.of("+", "-")));
    before.onMessage("late");
    set.down.remove("new:1");
    await("the new master is open", () -> works());
    await("the gap is over", () -> signs.heard.equals(List.of("+", "-", "+")));
    set.at("new:1").listeners.get(0).onMessage("hello");
    assertEquals(List.of("+", "-", "+", "hello"), signs.heard);
  }

  private boolean works() {
    try {
      router().execute(CALL);
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName("B15: a subscription that was closed moves to no other master")
  void aClosedSubscriptionStays() {
    open();
    Signs signs = new Signs();
    router().subscribe("channel", signs).close();
    one.names("new:1", 2, "master");
    one.tells();
    awaitMaster("new:1");
    await("it is gone", () -> set.at("old:1").listeners.isEmpty());
    assertTrue(set.at("new:1").listeners.isEmpty());
    assertFalse(signs.heard.contains("-"), signs.heard::toString);
  }

  @Test
  @DisplayName("B1: while the new master cannot be opened, calls are NOT_EXECUTED")
  void aMasterThatIsNotThere() {
    open();
    set.down.add("new:1");
    one.names("new:1", 2, "master");
    one.tells();
    await("the old one is closed", () -> set.at("old:1").closed);
    BackendException error = assertThrows(BackendException.class, () -> router().execute(CALL));
    assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
    set.down.remove("new:1");
    await("it works", this::works);
  }

  @Test
  @DisplayName("B23: a failed call makes the router ask, also if no sentinel tells anything")
  void aFailedCallAsks() {
    open();
    two.names("new:1", 2, "master");
    set.at("old:1").fails = Outcome.UNKNOWN;
    await("it works", this::works);
    assertEquals(List.of("new:1"), router().execute(CALL));
  }

  @Test
  @DisplayName("B23: an error of a script is no reason to ask")
  void anErrorOfAScript() throws InterruptedException {
    open();
    set.at("old:1").fails = Outcome.REPLIED;
    int before = one.asked;
    LockSupport.parkNanos(Duration.ofMillis(250).toNanos());
    assertThrows(BackendException.class, () -> router().execute(CALL));
    assertEquals(before, one.asked);
  }

  @Test
  @DisplayName("B23: a sentinel that was down is asked again, and the others it knows are found")
  void sentinelsAreFound() {
    set.down.add("s1:1");
    two.knows("s3:1");
    two.names("old:1", 1, "master");
    FakeSentinel three = set.sentinelAt("s3:1", "old:1", 1);
    open();
    await("the third is asked", () -> three.asked > 0);
    set.down.remove("s1:1");
    await("the first is asked", () -> one.asked > 0);
    three.names("new:1", 2, "master");
    three.tells();
    awaitMaster("new:1");
  }

  @Test
  @DisplayName("B16: without any sentinel opening fails with the reason of each, and closes all")
  void noSentinel() {
    set.down.addAll(List.of("s1:1", "s2:1"));
    BackendException error = assertThrows(BackendException.class, this::open);
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("s1:1 cannot be used: down; s2:1 cannot be used: down"), message);
    assertTrue(set.closed);
  }

  @Test
  @DisplayName("B16: a named master that is no master is refused with both reasons")
  void noMaster() {
    set.down.add("old:1");
    BackendException error = assertThrows(BackendException.class, this::open);
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("sentinels name old:1 as its master. old:1 cannot"), message);
    assertTrue(set.closed);
  }

  @Test
  @DisplayName("B17: after close everything is closed, and calls are NOT_EXECUTED")
  void afterClose() {
    open();
    Signs signs = new Signs();
    router().subscribe("channel", signs);
    await("it is subscribed", () -> signs.heard.equals(List.of("+")));
    router().close();
    assertTrue(set.closed);
    assertTrue(set.at("old:1").closed);
    BackendException error = assertThrows(BackendException.class, () -> router().execute(CALL));
    assertEquals(Outcome.NOT_EXECUTED, error.outcome());
    one.names("new:1", 2, "master");
    one.tells();
    assertEquals(List.of("+"), signs.heard);
    assertFalse(set.masters.containsKey("new:1"));
  }

  @Test
  @DisplayName("B10, B23: an error while a channel is subscribed to is a gap, which ends")
  void anErrorInASubscription() {
    open();
    set.at("old:1").breaks = true;
    Signs signs = new Signs();
    router().subscribe("c", signs);
    await("it is subscribed", () -> signs.heard.equals(List.of("-", "+")));
  }

  @Test
  @DisplayName("B23: a master for whose opening no thread can be made is opened by a later call")
  void noThreadForAMaster() throws Exception {
    open();
    try (BrokenPool broken = new BrokenPool(router(), "master", "openers")) {
      await("its threads have ended", () -> broken.size() == 0);
      one.names("new:1", 2, "master");
      one.tells();
      await("a call fails", () -> !isAnsweredBy("old:1"));
      assertFalse(isAnsweredBy("new:1"));
    }
    await("a call opens it", () -> isAnsweredBy("new:1"));
  }

  private boolean isAnsweredBy(String place) {
    try {
      return router().execute(CALL.withTimeout(Duration.ofMillis(500))).equals(List.of(place));
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName("B1: if no thread can be made after a failed call, its failure is told all the same")
  void noThreadAfterAFailure() throws Exception {
    open();
    awaitMaster("old:1");
    try (BrokenPool broken = new BrokenPool(router(), "master", "turns")) {
      await("its thread has ended", () -> broken.size() == 0);
      set.at("old:1").fails = Outcome.UNKNOWN;
      assertEquals(
          Outcome.UNKNOWN,
          assertThrows(BackendException.class, () -> router().execute(CALL)).outcome());
    }
    set.at("old:1").fails = null;
    assertEquals(List.of("old:1"), router().execute(CALL));
  }
}
