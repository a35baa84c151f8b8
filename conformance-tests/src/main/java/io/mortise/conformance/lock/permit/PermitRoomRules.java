package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Room that a semaphore gets by other ways than a release: the waiters hear of it at once. */
public abstract class PermitRoomRules extends SyncFixture {
  /** More than one run of a script looks at. */
  private static final int MANY = 1_200;

  private static final Duration OVER = ScriptedClient.WINDOW.plusMillis(50);

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final DistributedSemaphore mine = semaphore(3);
  private final DistributedSemaphore theirs =
      service(link, builder -> builder.leaseTime(LONG)).getSemaphore(name);

  protected PermitRoomRules(LockKit kit) {
    super(kit, "sem");
  }

  @BeforeEach
  void learnTheScripts() {
    take(theirs, 1).close();
  }

  private ScriptedClient deaf(String called, int permits) {
    return ScriptedClient.of(backend(), link, name, name + '~' + called, permits);
  }

  @Test
  @Rule({"L10", "S3", "Q2"})
  void aResizeLooksPastMoreThanAThousandWaitersAtOnce() {
    Lease all = take(mine, 3);
    ScriptedClient dead = deaf("dead", 1);
    for (int i = 1; i <= MANY; i++) {
      dead.assertWaits(i);
    }
    CompletableFuture<Lease> live = queued(theirs, 1, MANY + 1);
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder);

    service.getSemaphore(name).resize(MANY + 4);

    Await.value(live).close();
    assertEquals(1, spy.sent("sem-leave").size(), "another script went on");
    all.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"confirms", "was withdrawn", "wants too many"})
  @Rule({"L10", "S4", "Q2"})
  void whoFindsLeasesThatAreOverLetsTheFirstWaiterIn(String way) {
    ScriptedClient holder = deaf("holder", 2);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient dying = deaf("dying", 1).lease(ScriptedClient.WINDOW);
    assertEquals(List.of("HELD"), dying.ask(1));
    ScriptedClient first = deaf("first", 1).listening();
    first.assertWaits(1);
    passTime(OVER);

    switch (way) {
      case "confirms" -> assertEquals(List.of("HELD"), holder.ask(1));
      case "was withdrawn" -> {
        ScriptedClient late = deaf("late", 1);
        bury(late.id(1));
        assertEquals(List.of("TOO_LATE"), late.ask(1));
      }
      default -> assertEquals(List.of("TOO_MANY", 3L), deaf("greedy", 4).ask(1));
    }

    first.awaitMail(1);
    assertEquals(0, mine.availablePermits());
  }

  private void bury(String id) {
    String write = "return {redis.call('ZADD', KEYS[1], 9999999999999, '!%s')}".formatted(id);
    assertEquals(List.<Object>of(1L), runOn(key("alive"), write));
  }

  @Test
  @Rule("S3")
  void drainLooksAgainIfThereAreFewerPermitsMeanwhile() {
    HeldCall acquire = link.hold("sem-acquire");
    CompletableFuture<Optional<Lease>> drained =
        CompletableFuture.supplyAsync(theirs::drain, task -> new Thread(task).start());
    acquire.awaitSent();

    mine.resize(2);
    acquire.pass();

    Lease all = Await.value(drained).orElseThrow();
    assertEquals(2, all.permits());
    all.close();
  }

  /**
   * The acquisition arrives once more after the hold was left, and the command that left it too.
   */
  @Test
  @Rule({"S1", "S4", "L14", "L27"})
  void whatIsLeftLaterTwiceKeepsItsPlaceOnceAndLosesNoPermit() {
    LockBackend store = backend();
    Lease lease = take(theirs, 3);
    ScriptCall taking = link.last("sem-acquire");
    lease.release(1);
    lease.closeAfter(SECOND.multipliedBy(10));
    ScriptCall leaving = link.last("linger");
    mine.resize(6);
    assertEquals(4, mine.availablePermits());
    List<Object> unused = store.execute(taking);
    assertEquals(1, mine.availablePermits());

    unused = store.execute(leaving);

    assertEquals(4, mine.availablePermits());
    unused = store.execute(leaving);
    assertEquals(4, mine.availablePermits());
    assertEquals(true, mine.forceRelease());
    awaitFree(mine, 6);
  }
}
