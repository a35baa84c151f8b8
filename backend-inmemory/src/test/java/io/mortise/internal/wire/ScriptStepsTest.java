package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.Rule;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Steps in an order that services seldom send, and what the scripts leave in the keys. */
class ScriptStepsTest {
  private static final String A = "a:1:1";
  private static final String B = "b:1:1";
  private static final String C = "a:5:5";
  private static final String HOLDERS = "return redis.call('HKEYS', KEYS[1])";

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockBackend backend = store.backend();
  private final ScriptStage stage = new ScriptStage(new StageInMemory(store, backend), "orders:42");
  private final List<String> keys = stage.plain().all();

  @AfterEach
  void close() {
    backend.close();
  }

  private long left(int key) {
    return (Long)
        stage.other("return {redis.call('PTTL', KEYS[1])}", keys.subList(key, key + 1)).get(0);
  }

  private List<Object> members(String key) {
    return stage.other("return redis.call('ZRANGE', KEYS[1], 0, -1)", List.of(key));
  }

  private void pass(int seconds) {
    store.advance(Duration.ofSeconds(seconds));
  }

  /** A try that was sent before its id joined may come when the lock is free. */
  @Test
  @Rule({"Q3", "L14"})
  void anIdThatALateTryLetsInIsOutOfTheQueue() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B);
    stage.expire(stage.plain().lock());

    stage.attempt(stage.plain(), B);

    assertEquals(List.of(2L), stage.reply());
    assertEquals(List.of(), members(keys.get(1)));
    stage.release(stage.plain(), B);
    assertEquals(List.of(1L), stage.reply());
  }

  /**
   * The expiry of queue and alive is not raised by each that joins or asks, but they outlast it.
   */
  @Test
  @Rule({"Q4", "L15"})
  void theQueueOutlastsItsWaiters() {
    stage.acquire(stage.plain(), A);
    for (int i = 1; i <= 40; i++) {
      stage.acquire(stage.plain(), A).acquire(stage.plain(), "b:" + i + ":1");
      assertTrue(left(1) >= 15_000 && left(1) <= 20_000, () -> "queue " + left(1));
      stage.acquire(stage.plain(), "b:" + i + ":1");
      assertTrue(left(2) >= 15_000 && left(2) <= 20_000, () -> "alive " + left(2));
      pass(1);
    }
  }

  /**
   * A try of a writer whose grant is over. A later copy of its acquire is no first confirmation.
   */
  @Test
  @Rule({"Q3", "A5", "L8"})
  void aWriterThatALateTryLetsInIsOutOfTheQueue() {
    LockKeys write = stage.write();
    stage.acquire(write, A).acquire(write, B).release(write, A);
    pass(4); // B did not confirm

    stage.attempt(write, B);

    assertEquals(List.of(1L), stage.reply());
    assertEquals(List.of(), members(write.queue()));
    stage.other("return {redis.call('PEXPIRE', KEYS[1], 600000)}", write.all());
    stage.acquire(write, B);
    List<Object> left = stage.other("return {redis.call('PTTL', KEYS[1])}", write.all());
    assertEquals(List.of(600_000L), left);
  }

  /** A late try of an id that waits finds room. It takes its permits once, and leaves the queue. */
  @Test
  @Rule({"S1", "Q3"})
  void permitsOfALateTryAreTakenOnce() {
    LockKeys semaphore = stage.semaphore();
    String held = A + ":p3";
    String waits = B + ":p2";
    stage.permits("resize", 4).acquire(semaphore, held).acquire(semaphore, waits);
    pass(29);
    stage.acquire(semaphore, waits); // it lives
    pass(2); // the lease of A is over

    stage.attempt(semaphore, waits);

    assertEquals(List.of(1L), stage.reply());
    assertEquals(List.of(), members(semaphore.queue()));
    List<Object> free =
        stage.other("return {redis.call('ZSCORE', KEYS[1], '!free')}", semaphore.all());
    assertEquals(List.of("2"), free);
  }

  /** A new waiter is in the queue only. Its ticket says for how long it counts as alive. */
  @Test
  @Rule({"Q3", "L15"})
  void aNewWaiterLivesByItsTicket() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B);
    assertEquals(List.of(), members(keys.get(2)));
    pass(9);
    stage.release(stage.plain(), A);
    assertEquals(List.of(B), stage.other(HOLDERS, keys));
  }

  @Test
  @Rule("Q3")
  void aWaiterThatAsksNoMoreIsGone() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B);
    pass(9);
    stage.acquire(stage.plain(), B).acquire(stage.plain(), C);
    pass(9);
    stage.acquire(stage.plain(), C); // B lives by alive, and C by its ticket
    pass(2);
    stage.release(stage.plain(), A);
    assertEquals(List.of(C), stage.other(HOLDERS, keys));
  }

  /** An id that did not confirm its grant in time has its place again when it asks. */
  @Test
  @Rule({"Q4", "A9"})
  void aLateConfirmationKeepsItsPlace() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).acquire(stage.plain(), C);
    stage.release(stage.plain(), A);
    stage.expire(stage.plain().lock());
    stage.attempt(stage.plain(), A); // overtakes both: it is not fair

    stage.acquire(stage.plain(), B);

    assertEquals(List.of(B, C), members(keys.get(1)));
    stage.release(stage.plain(), A);
    assertEquals(List.of(B), stage.other(HOLDERS, keys));
  }

  /** A waiter that was granted the lock is no waiter, until it asks. */
  @Test
  @Rule({"Q3", "L11"})
  void aSilentServiceLosesItsPlaces() {
    String next = "b:2:2";
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).acquire(stage.plain(), next);
    stage.acquire(stage.plain(), C).release(stage.plain(), A);
    pass(4); // B did not confirm

    stage.acquire(stage.plain(), C);

    assertEquals(List.of(2L), stage.reply(), "C holds, as b is silent");
    assertEquals(List.of(), members(keys.get(1)));
    stage.acquire(stage.plain(), next);
    assertTrue(!members(keys.get(2)).contains("?b"), () -> members(keys.get(2)).toString());
  }

  /**
   * A waiter that has asked since the grant lives, although another id of its service is silent.
   */
  @Test
  @Rule({"Q3", "L11"})
  void aSilentIdTakesNoPlaceFromOneThatHasAsked() {
    String next = "b:2:2";
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    pass(2);
    stage.acquire(stage.plain(), next);
    pass(2); // B did not confirm

    stage.acquire(stage.plain(), C);

    assertEquals(List.of(next), stage.other(HOLDERS, keys));
    assertEquals(List.of(next, C), members(keys.get(1)));
  }

  /** A waiter that asks is not silent in its own script, which finds another id of it silent. */
  @Test
  @Rule({"Q4", "A7"})
  void anIdThatFindsAnotherOneOfItsServiceSilentHolds() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    pass(4); // B did not confirm

    stage.acquire(stage.plain(), "b:2:2");

    assertEquals(List.of("b:2:2"), stage.other(HOLDERS, keys));
  }

  /** The clock has stepped back, so a new ticket is ahead of it. Nobody hears d's messages. */
  @Test
  @Rule({"Q3", "L11"})
  void aTicketThatIsAheadOfTheClockDoesNotKeepADeadWaiter() {
    stage.acquire(stage.plain(), A);
    stage.other(
        """
        local time = redis.call('TIME')
        redis.call('ZADD', KEYS[2], (time[1] + 3600) * 1000000, 'd:9:9')
        redis.call('PEXPIRE', KEYS[2], 20000)
        return {}\
        """,
        keys);
    stage.acquire(stage.plain(), B).acquire(stage.plain(), C);
    assertEquals(List.of("d:9:9", B, C), members(keys.get(1)));
    pass(8);
    stage.acquire(stage.plain(), C);
    pass(8); // C has asked, and B has not

    stage.release(stage.plain(), A);

    assertEquals(List.of(C), stage.other(HOLDERS, keys));
  }

  /** The confirmation takes the id out of the queue, so its service is not silent afterwards. */
  @Test
  @Rule({"Q3", "L11"})
  void aConfirmedHoldLeavesNothingInTheQueue() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    assertEquals(List.of(B), members(keys.get(1)));
    stage.acquire(stage.plain(), B);
    assertEquals(List.of(), members(keys.get(1)));
  }

  /** A hold that was never confirmed may be released, or ended by force. */
  @Test
  @Rule({"L10", "Q6"})
  void anUnconfirmedHoldThatEndsLeavesTheQueue() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    stage.release(stage.plain(), B);
    assertEquals(List.of(), members(keys.get(1)));

    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    stage.run(stage.scripts().force(stage.plain(), ""));
    assertEquals(List.of(), members(keys.get(1)));
  }

  /** The mark of a dead process, and tombstones, do not pile up while others come and go. */
  @Test
  @Rule("L15")
  void oldMembersGoWhileOthersJoin() {
    stage.acquire(stage.plain(), A);
    stage.acquire(stage.plain(), B).release(stage.plain(), A);
    stage.expire(stage.plain().lock()); // B did not confirm
    stage.acquire(stage.plain(), A);
    assertTrue(members(keys.get(2)).contains("?b"), () -> members(keys.get(2)).toString());
    assertTrue(left(2) > 0, "the mark is in a key that expires");
    for (int i = 1; i <= 40; i++) {
      stage.acquire(stage.plain(), "c:" + i + ":1").acquire(stage.plain(), "c:" + i + ":1");
      pass(1);
    }
    assertTrue(!members(keys.get(2)).contains("?b"), () -> members(keys.get(2)).toString());
  }

  @Test
  @Rule({"A5", "L8"})
  void aLateConfirmationDoesNotShortenALeaseThatWasExtended() {
    stage.acquire(stage.plain(), A).acquire(stage.plain(), B).release(stage.plain(), A);
    stage.acquire(stage.plain(), B);
    stage.other("return {redis.call('PEXPIRE', KEYS[1], 60000)}", keys);

    stage.acquire(stage.plain(), B);

    assertEquals(60_000, left(0));
  }

  /** One reader is forced out, and a writer waits for it alone. */
  @Test
  @Rule({"Q2", "L10"})
  void aForcedReaderLetsTheWaitingWriterIn() {
    stage.acquire(stage.read(), A + ":r").acquire(stage.write(), B);

    stage.run(stage.scripts().force(stage.read(), A + ":r"));

    List<Object> holder = stage.other(HOLDERS, stage.write().all());
    assertEquals(List.of(B), holder);
  }
}
