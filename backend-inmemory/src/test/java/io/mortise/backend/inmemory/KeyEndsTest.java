package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keys expire by the store's clock, which moves with its time source. */
class KeyEndsTest {
  private static final String TIME = "local t = redis.call('TIME') return {t[1], t[2]}";

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockBackend backend = store.backend();

  private Object one(String expression) {
    return Calls.eval(backend, "return {" + expression + "}").get(0);
  }

  @Test
  @DisplayName("B10, B20: a key expires when the time has moved past its expiry")
  void aKeyEndsByTheMovedTime() {
    one("redis.call('SET', 'a', 1, 'PX', 1000)");
    store.advance(Duration.ofMillis(400));
    assertEquals(600L, one("redis.call('PTTL', 'a')"));
    store.advance(Duration.ofMillis(600));
    // As in Redis, the key is still there in its last millisecond.
    assertEquals(0L, one("redis.call('PTTL', 'a')"));
    assertEquals(Set.of("a"), store.keys());
    store.advance(Duration.ofMillis(1));
    assertEquals(-2L, one("redis.call('PTTL', 'a')"));
    assertEquals(0L, one("redis.call('EXISTS', 'a')"));
    assertEquals(Set.of(), store.keys());
  }

  @Test
  void everyTypeEnds() {
    Calls.eval(
        backend,
        """
        redis.call('HSET', 'h', 'f', 1) redis.call('ZADD', 'z', 1, 'm') redis.call('SET', 's', 1)
        for _, key in ipairs({'h', 'z', 's'}) do redis.call('PEXPIRE', key, 10) end
        return {}
        """);
    assertEquals(Set.of("h", "s", "z"), store.keys());
    store.advance(Duration.ofMillis(11));
    assertEquals(Set.of(), store.keys());
    // After an expired key a new one may have another type, and has no expiry.
    assertEquals(1L, one("redis.call('ZADD', 'h', 1, 'm')"));
    assertEquals(-1L, one("redis.call('PTTL', 'h')"));
  }

  @Test
  @DisplayName("B20: TIME moves with nanoTime, to the microsecond, and stands still otherwise")
  void timeOfTheServerMovesWithTheTimeSource() {
    List<Object> start = Calls.eval(backend, TIME);
    long nanos = store.time().nanoTime();
    assertEquals(start, Calls.eval(backend, TIME));
    store.advance(Duration.ofSeconds(2).plusNanos(345_000));
    List<Object> end = Calls.eval(backend, TIME);
    assertEquals(2_000_345, micros(end) - micros(start));
    assertEquals(2_000_345_000, store.time().nanoTime() - nanos);
  }

  @Test
  @DisplayName("B20: on system time the server's clock is the system's")
  void onSystemTimeTheClockIsTheSystems() {
    try (LockBackend system = InMemoryStore.create().backend()) {
      long before = System.currentTimeMillis();
      long shown = micros(Calls.eval(system, TIME)) / 1_000;
      assertTrue(
          Math.abs(shown - before) < TimeUnit.SECONDS.toMillis(5), shown + " against " + before);
    }
  }

  @Test
  void theClockStandsStillWhileAScriptRuns() {
    try (LockBackend system = InMemoryStore.create().backend()) {
      assertEquals(
          List.of(1L),
          Calls.eval(
              system,
              """
              local first = redis.call('TIME')
              local sum = 0
              for i = 1, 100000 do sum = sum + i end
              local last = redis.call('TIME')
              return {first[1] == last[1] and first[2] == last[2]}
              """));
    }
  }

  @Test
  @DisplayName("L15: expired keys are dropped without being read again")
  void endedKeysDoNotPileUp() {
    Keyspace keyspace = new Keyspace(store.time(), 0);
    for (int i = 0; i < 100_000; i++) {
      keyspace.readClock();
      keyspace.put(Numbers.text("key" + i), Numbers.text("x"));
      keyspace.endAt(Numbers.text("key" + i), keyspace.nowMillis() + 1);
      if (i % 100 == 0) {
        store.advance(Duration.ofMillis(1));
      }
    }
    assertTrue(keyspace.size() < 2_000, keyspace.size() + " keys kept");
  }

  private static long micros(List<Object> time) {
    return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
  }
}
