package io.mortise.backend.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/** Shared parts of the tests: opening backends, small scripts, and waits for conditions. */
final class Fixture {
  static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final Script ECHO = Script.of("echo", "return {ARGV[1]}");
  private static final Script COUNT = Script.of("count", "return {redis.call('INCR', KEYS[1])}");

  private Fixture() {}

  static LockBackend open(URI uri) {
    return new JedisBackendProvider()
        .open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-test", Map.of()));
  }

  static ScriptCall echo(String text, Duration timeout) {
    return new ScriptCall(ECHO, List.of(), List.of(text), timeout);
  }

  static ScriptCall count(String key, Duration timeout) {
    return new ScriptCall(COUNT, List.of(key), List.of(), timeout);
  }

  static void assertWorks(LockBackend backend) {
    assertEquals(List.of("works"), backend.execute(echo("works", TIMEOUT)));
  }

  static BackendException assertFails(Outcome outcome, Executable call) {
    BackendException error = assertThrows(BackendException.class, call);
    assertEquals(outcome, error.outcome(), error::toString);
    return error;
  }

  static BackendException assertFails(Outcome outcome, CompletableFuture<?> future) {
    ExecutionException error =
        assertThrows(ExecutionException.class, () -> future.get(20, TimeUnit.SECONDS));
    BackendException cause = assertInstanceOf(BackendException.class, error.getCause());
    assertEquals(outcome, cause.outcome(), cause::toString);
    return cause;
  }

  static void assertTook(Duration most, Executable task) throws Throwable {
    long start = System.nanoTime();
    task.execute();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(most) < 0, () -> "it took " + took);
  }

  static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      boolean late = System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20);
      assertTrue(!late, () -> "timed out waiting until " + what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  static boolean runsThread(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(name));
  }
}
