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

  /** The expiry of queue and alive is not raised by each that joins, but they outlast it. */
  @Test
  @Rule({"Q4", "L15"})
  void theQueueOutlastsItsWaiters() {
    stage.acquire(stage.plain(), A);
    for (int i = 1; i <= 40; i++) {
      stage.acquire(stage.plain(), "b:" + i + ":1");
      assertTrue(left(1) >= 15_000 && left(1) <= 20_000, () -> "queue " + left(1));
      assertTrue(left(2) >= 15_000 && left(2) <= 20_000, () -> "alive " + left(2));
      pass(1);
    }
  }

  /** The mark of a dead process, and tombstones, do not pile up while others come and go. */
  @Test
  @Rule("L15")
  void oldMembersGoWhileOthersJoin() {
    stage.acquire(stage.plain(), A);
    stage.acquire(stage.plain(), B).release(stage.plain(), A); // B never confirms
    assertTrue(members(keys.get(2)).contains("?b"), () -> members(keys.get(2)).toString());
    assertTrue(left(2) > 0, "the mark is in a key that expires");
    for (int i = 1; i <= 40; i++) {
      stage.acquire(stage.plain(), "c:" + i + ":1");
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

    List<Object> holder = stage.other("return redis.call('HKEYS', KEYS[1])", stage.write().all());
    assertEquals(List.of(B), holder);
  }
}
