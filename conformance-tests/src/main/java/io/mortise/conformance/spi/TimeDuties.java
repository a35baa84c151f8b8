package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The clocks of a backend and its store. */
abstract class TimeDuties extends Duties {
  private static final String SERVER_TIME =
      "local t = redis.call('TIME') return {tonumber(t[1]) * 1000000 + tonumber(t[2])}";

  TimeDuties(BackendConformance suite) {
    super(suite);
  }

  @Test
  @Rule({"B10", "B20"})
  @DisplayName("B10: a key expires by the backend's time")
  void aKeyExpires() {
    LockBackend backend = open();
    List<String> key = List.of(name("k"));
    String set =
        "redis.call('SET', KEYS[1], 'v', 'PX', ARGV[1]) return {redis.call('PTTL', KEYS[1])}";
    ScriptCall exists = run("return {redis.call('EXISTS', KEYS[1])}", key);
    long left = (Long) backend.execute(run(set, key, "60000")).get(0);
    assertTrue(left > 50_000 && left <= 60_000, "of 60 s are left: " + left + " ms");
    suite().passTime(backend, Duration.ofMillis(100));
    assertEquals(List.of(1L), backend.execute(exists));
    backend.execute(run(set, key, "400"));
    suite().passTime(backend, Duration.ofMillis(410));
    assertEquals(List.of(0L), backend.execute(exists));
  }

  @Test
  @Rule("B20")
  @DisplayName("B20: the time of the backend and that of the store have the same speed")
  void timeAgreesWithTheStore() {
    LockBackend backend = open();
    TimeSource time = backend.time();
    ScriptCall clock = run(SERVER_TIME, List.of());
    backend.execute(clock);
    long before1 = time.nanoTime();
    long server1 = (Long) backend.execute(clock).get(0);
    long after1 = time.nanoTime();
    suite().passTime(backend, Duration.ofSeconds(1));
    long before2 = time.nanoTime();
    long server2 = (Long) backend.execute(clock).get(0);
    long after2 = time.nanoTime();
    long passed = (server2 - server1) * 1_000;
    long slack = Duration.ofMillis(50).toNanos();
    assertTrue(
        passed >= before2 - after1 - slack && passed <= after2 - before1 + slack,
        () -> "the store's clock moved by " + passed + " ns, time() by " + (before2 - after1));
  }

  /** A time that a test moves has a wall clock of its own, which moves with it. */
  @Test
  @Rule("B20")
  @DisplayName("B20: the wall clock is that of the machine, or moves with the moved time")
  void theWallClockGoesOn() {
    LockBackend backend = open();
    TimeSource time = backend.time();
    long apart = Math.abs(time.currentTimeMillis() - System.currentTimeMillis());
    long wall = time.currentTimeMillis();
    long real = System.nanoTime();
    suite().passTime(backend, Duration.ofSeconds(1));
    long passed = time.currentTimeMillis() - wall;
    boolean moved = System.nanoTime() - real < Duration.ofMillis(900).toNanos();

    assertTrue(passed >= 990 && passed < 30_000, "it went on by " + passed + " ms in a second");
    assertTrue(moved || apart < 5_000, "it is " + apart + " ms from the clock of the machine");
  }

  @Test
  @Rule("B20")
  @DisplayName("B20: a timer runs when its time has come, and not if it was cancelled")
  void timersRun() {
    LockBackend backend = open();
    AtomicBoolean ran = new AtomicBoolean();
    AtomicBoolean cancelled = new AtomicBoolean();
    TimeSource.Timer late = backend.time().schedule(() -> ran.set(true), Duration.ofMillis(500));
    backend.time().schedule(() -> cancelled.set(true), Duration.ofMillis(200)).close();
    suite().passTime(backend, Duration.ofMillis(600));
    Await.until("the timer has run", ran::get);
    assertFalse(cancelled.get(), "the cancelled timer ran");
    late.close();
  }
}
