package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedCountDownLatch;
import io.mortise.ForeignKeyException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.lock.fixture.Terms;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A latch whose messages and commands get lost or come late, and one that is misused. */
public abstract class LatchFaultRules extends LatchFixture {
  /** More than one run of a script looks at. */
  private static final int MANY = 1_200;

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final DistributedCountDownLatch mine = latch();
  private final DistributedCountDownLatch theirs = latch(link);

  protected LatchFaultRules(LockKit kit) {
    super(kit);
  }

  private static Contender counting(DistributedCountDownLatch latch) {
    return Contender.start(() -> {
      latch.countDown();
      return false;
    });
  }

  @Test
  @Rule({"D1", "L10", "Q2"})
  void anOpenLatchLetsMoreThanAThousandWaitersGoAtOnce() throws InterruptedException {
    DistributedCountDownLatch other =
        service(link, builder -> builder).getCountDownLatch(name + "-other");
    assertTrue(other.trySetCount(0));
    other.await();
    ScriptCall learnt = link.last("latch-acquire");
    List<String> keys = List.of(key("count"), key("queue"), key("alive"));
    String terms = Terms.of(learnt.args()).word("join").text();
    LockBackend store = backend();
    assertTrue(mine.trySetCount(1));
    for (int i = 0; i < MANY; i++) {
      List<String> args = List.of(name + "~dead:" + i + ":1", terms, "1000");
      List<Object> unused =
          store.execute(new ScriptCall(learnt.script(), keys, args, SECOND.multipliedBy(2)));
    }
    CompletableFuture<Void> live = waiting(mine, MANY + 1);
    SpyBackend spy = new SpyBackend(backend());

    service(spy, builder -> builder).getCountDownLatch(name).countDown();

    Await.value(live);
    assertEquals(1, spy.sent("latch-leave").size(), "another script went on");
  }

  @ParameterizedTest
  @EnumSource(names = {"REPLY_LOST", "REQUEST_LOST"})
  @Rule({"D3", "L14", "W23"})
  void aStepWithoutAnswerIsSentAgainAndCountsOnce(Link how) {
    assertTrue(mine.trySetCount(3));
    link.set("latch-count", how, 2);
    Contender counter = counting(theirs);
    passTimeUntil("the step is counted", SECOND.multipliedBy(4), () -> !counter.thread().isAlive());
    assertFalse(counter.result());
    assertEquals(2, mine.getCount());
  }

  @Test
  @Rule({"D3", "L14", "W23"})
  void theLastStepAndTheSettingMayBeSentAgainToo() {
    link.set("latch-count", Link.REPLY_LOST, 1);
    Contender setter = Contender.start(() -> theirs.trySetCount(1));
    passTimeUntil("the count is set", SECOND.multipliedBy(4), setter::isInside);
    assertTrue(setter.result(), "the service recognizes its own first attempt");
    CompletableFuture<Void> waiter = waiting(mine, 1);
    HeldCall last = link.hold("latch-count");
    Contender counter = counting(theirs);
    last.arrive();
    Await.value(waiter);
    assertEquals(List.of("COUNT", 0L), last.arrive());
    last.reply();
    assertFalse(counter.result());
    assertEquals(0, mine.getCount());
  }

  @Test
  @Rule({"D3", "D4", "L14"})
  void aDeletionThatIsSentAgainDoesNotDeleteTheNextRound() {
    assertTrue(mine.trySetCount(1));
    HeldCall deletion = link.hold("latch-count");
    Contender deleter = Contender.start(theirs::delete);
    assertEquals(List.of("COUNT", 0L), deletion.arrive());
    assertTrue(mine.trySetCount(7));

    assertEquals("COUNT", deletion.arrive().get(0));

    deletion.reply();
    assertTrue(deleter.result());
    assertEquals(7, mine.getCount());
  }

  @Test
  @Rule({"D3", "L14"})
  void aStepThatIsNeverAnsweredIsOfUnknownOutcomeAndOneThatIsNotSentIsNot() {
    assertTrue(mine.trySetCount(9));
    Duration lease = SECOND.multipliedBy(2);
    FaultyBackend broken = new FaultyBackend(this::backend);
    DistributedCountDownLatch latch =
        service(broken, builder -> builder.leaseTime(lease)).getCountDownLatch(name);
    broken.set(Link.DOWN);
    assertThrows(BackendUnavailableException.class, latch::countDown);
    broken.set(Link.REQUEST_LOST);
    Contender counter = counting(latch);
    passTimeUntil(
        "the attempt gives up", SECOND.multipliedBy(4), () -> !counter.thread().isAlive());
    assertInstanceOf(OutcomeUnknownException.class, counter.failure());
    broken.set(Link.UP);
    assertEquals(9, latch.getCount());
  }

  @Test
  @Rule("L4")
  void anInterruptDoesNotDisturbTheCount() {
    assertTrue(mine.trySetCount(1));
    link.set("latch-count", Link.REPLY_LOST, 1);
    Contender counter =
        contender(() -> {
          Thread.currentThread().interrupt();
          theirs.countDown();
          return false;
        });
    passTimeUntil("the step is counted", SECOND.multipliedBy(4), () -> !counter.thread().isAlive());
    assertFalse(counter.result());
    assertTrue(counter.wasInterruptedAfter());
    assertEquals(0, mine.getCount());
  }

  @Test
  @Rule({"D1", "L10"})
  void aMissingMessageCostsARecheck() {
    assertTrue(mine.trySetCount(1));
    CompletableFuture<Void> first = waiting(theirs, 1);
    Contender second = waitingThread(theirs, 2);
    link.mail().set(Fate.LOST);

    mine.countDown();

    passTimeUntil("both waiters ask", RECHECK, () -> first.isDone() && !second.thread().isAlive());
    assertFalse(second.result());
    assertTrue(areWaiting(0));
  }

  @Test
  @Rule({"D2", "L14"})
  void aWaiterWhoseQuestionWasLostAsksAgainAndOneThatHasGoneLeaves() {
    assertTrue(mine.trySetCount(1));
    link.set("latch-acquire", Link.REPLY_LOST, 1);
    CompletableFuture<Void> waiter = theirs.awaitAsync();
    awaitWaiting(1);
    CompletableFuture<Void> quitter = waiting(theirs, 2);
    HeldCall leaving = link.hold("latch-leave");
    quitter.cancel(false);
    leaving.awaitSent();
    mine.countDown(); // its message goes to a waiter that is gone
    passTimeUntil("the waiter goes on", RECHECK, waiter::isDone);
    leaving.pass();
    awaitWaiting(0);
  }

  private void assertSays(Class<? extends Throwable> type, String text, Executable call) {
    String said = String.valueOf(failure(type, call).getMessage());
    assertTrue(said.contains("count-down latch '" + name + "'") && said.contains(text), said);
  }

  @Test
  @Rule({"D4", "L18"})
  void countingWhatIsNotSetOrIsOpenIsRefused() {
    String unset = "has no count: it was never set, or the store has forgotten it";
    assertSays(IllegalStateException.class, unset, mine::countDown);
    assertSays(IllegalStateException.class, unset, mine::getCount);
    assertTrue(mine.trySetCount(1));
    assertFalse(theirs.trySetCount(1));
    mine.countDown();
    assertSays(IllegalStateException.class, "is open, its count is 0", mine::countDown);
    assertFalse(theirs.trySetCount(1));
    assertEquals(0, mine.getCount());
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, DistributedCountDownLatch.MAX_COUNT + 1})
  @Rule("L18")
  void aCountOutOfRangeIsRefused(long count) {
    assertSays(IllegalArgumentException.class, "count of " + count, () -> mine.trySetCount(count));
    assertTrue(mine.trySetCount(DistributedCountDownLatch.MAX_COUNT));
    mine.countDown();
    assertEquals(DistributedCountDownLatch.MAX_COUNT - 1, theirs.getCount());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis.call('HSET', KEYS[1], 'a', 1) redis.call('PEXPIRE', KEYS[1], 60000)",
        "redis.call('ZADD', KEYS[1], 1, 'a') redis.call('PEXPIRE', KEYS[1], 60000)",
        "redis.call('ZADD', KEYS[1], 1, '!count')"
      })
  @Rule("L18")
  void aKeyOfSomebodyElseIsRefusedAndLeftAlone(String foreign) {
    runOn(key("count"), foreign + " return {1}");
    List<Executable> calls =
        List.of(
            mine::await,
            () -> mine.await(1, TimeUnit.SECONDS),
            mine::countDown,
            mine::getCount,
            () -> mine.trySetCount(1));
    calls.forEach(call -> assertSays(ForeignKeyException.class, key("count"), call));
    assertEquals(List.of(1L), runOn(key("count"), "return {redis.call('EXISTS', KEYS[1])}"));
    runOn(key("count"), "return {redis.call('DEL', KEYS[1])}");
  }

  @Test
  @Rule({"L17", "L18"})
  void badNamesAndAClosedServiceAreRefused() {
    LockService service = patient();
    DistributedCountDownLatch latch = service.getCountDownLatch(name);
    for (String bad : List.of("", "a{b", "{}")) {
      String said =
          String.valueOf(
              assertThrows(IllegalArgumentException.class, () -> service.getCountDownLatch(bad))
                  .getMessage());
      assertTrue(said.contains("latch name"), said);
    }
    service.close();
    List<Executable> calls =
        List.of(latch::await, latch::countDown, latch::getCount, () -> latch.trySetCount(1));
    calls.forEach(call -> assertThrows(LockServiceClosedException.class, call));
    assertThrows(LockServiceClosedException.class, () -> service.getCountDownLatch(name));
    assertThrows(LockServiceClosedException.class, () -> service.getSemaphore(name));
  }
}
