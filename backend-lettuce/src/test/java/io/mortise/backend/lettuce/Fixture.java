package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.function.Executable;

/** Shared parts of the tests: opening backends, small scripts, and waits for conditions. */
final class Fixture {
  static final Duration TIMEOUT = Duration.ofSeconds(3);
  static final Script ECHO = Script.of("echo", "return {KEYS[1], ARGV[1]}");
  static final Script COUNT = Script.of("count", "return {redis.call('INCR', KEYS[1])}");

  private Fixture() {}

  static LockBackend open(URI uri) {
    BackendConfig config = new BackendConfig(uri, TIMEOUT, "mortise-test", Map.of());
    return new LettuceBackendProvider().open(config);
  }

  static RedisClient rejectingClient() {
    RedisClient client = RedisClient.create();
    client.setOptions(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS).build());
    return client;
  }

  static ScriptCall echo(String key, String argument) {
    return new ScriptCall(ECHO, List.of(key), List.of(argument), TIMEOUT);
  }

  static ScriptCall count(String key) {
    return count(key, TIMEOUT);
  }

  static ScriptCall count(String key, Duration timeout) {
    return new ScriptCall(COUNT, List.of(key), List.of(), timeout);
  }

  static ScriptCall run(String lua) {
    return new ScriptCall(Script.of("test", lua), List.of(), List.of(), TIMEOUT);
  }

  static BackendException failure(Executable call) {
    return assertThrows(BackendException.class, call);
  }

  /** The future's failure, which must be a BackendException without a wrapper. */
  static BackendException failure(CompletableFuture<?> future) throws Exception {
    try {
      future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof BackendException expected) {
        return expected;
      }
      throw e;
    } catch (TimeoutException e) {
      return fail("the future did not end", e);
    }
    return fail("the future did not fail");
  }

  /** A port that was free a moment ago. */
  static int freePort() {
    try (RedisServer probe = RedisServer.start()) {
      return probe.port();
    }
  }

  static String message(Throwable e) {
    return String.valueOf(e.getMessage());
  }

  static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20)) {
        fail("timed out waiting: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
