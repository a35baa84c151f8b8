package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.mortise.BackendUnavailableException;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.OutcomeUnknownException;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class TimedBackendTest {
  private static final ScriptCall CALL =
      new ScriptCall(
          Script.of("probe", "return {1}"), List.of("k"), List.of(), Duration.ofSeconds(1));

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final MortiseMetrics metrics = new MortiseMetrics(registry);
  private final InMemoryStore store = InMemoryStore.withMovableTime();

  private Set<String> outcomes() {
    return registry.find("mortise.command").timers().stream()
        .map(timer -> timer.getId().getTag("script") + ' ' + timer.getId().getTag("outcome"))
        .collect(Collectors.toSet());
  }

  @Test
  void theCommandsOfALockOnRedisAreTimed() {
    try (RedisServer redis = RedisServer.start();
        LockService locks =
            metrics.open(LockService.builder().uri(redis.uri().toString()).provider("jedis"))) {
      registry.clear(); // what opening has sent
      locks.getLock("orders:42").lock();
      locks.getLock("orders:42").unlock();
      try (Lease lease = locks.getFairLock("orders:43").async().acquire().join()) {
        assertNotNull(lease);
      }
    }
    assertTrue(outcomes().containsAll(Set.of("acquire ok", "leave ok")), outcomes()::toString);
    assertTrue(outcomes().stream().allMatch(each -> each.endsWith(" ok")), outcomes()::toString);
    Timer acquire = registry.get("mortise.command").tag("script", "acquire").timer();
    assertEquals(2, acquire.count());
    assertTrue(acquire.totalTime(TimeUnit.NANOSECONDS) > 0);
  }

  @Test
  void aServerThatIsGoneShowsInTheOutcome() {
    try (RedisServer redis = RedisServer.start();
        LockService locks =
            metrics.open(
                LockService.builder()
                    .uri(redis.uri().toString())
                    .provider("jedis")
                    .commandTimeout(Duration.ofMillis(500)))) {
      redis.kill();
      RuntimeException e =
          assertThrows(RuntimeException.class, () -> locks.getLock("orders:42").tryLock());
      assertTrue(
          e instanceof BackendUnavailableException || e instanceof OutcomeUnknownException,
          e::toString);
    }
    assertTrue(
        outcomes().contains("acquire not-executed") || outcomes().contains("acquire unknown"),
        outcomes()::toString);
  }

  @Test
  void anErrorOfTheServerIsTimedAndThrownOn() {
    LockBackend timed = metrics.timed(store.backend());
    ScriptCall bad =
        new ScriptCall(
            Script.of("bad", "return redis.call('NO-SUCH')"),
            List.of(),
            List.of(),
            Duration.ofSeconds(1));

    assertThrows(BackendException.class, () -> timed.execute(bad));

    assertEquals(Set.of("bad error"), outcomes());
    timed.close();
  }

  /** Answers when the test says so. */
  private static final class Later extends ForwardingBackend {
    private final LockBackend target;
    private final CompletableFuture<List<Object>> first = new CompletableFuture<>();
    private final CompletableFuture<List<Object>> second = new CompletableFuture<>();

    Later(LockBackend target) {
      this.target = target;
    }

    @Override
    protected LockBackend target() {
      return target;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return first;
    }

    @Override
    public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
      return List.of(first, second);
    }
  }

  @Test
  void theFutureOfTheOtherBackendIsReturnedSoCancellingReachesIt() {
    Later later = new Later(store.backend());
    LockBackend timed = metrics.timed(later);

    assertSame(later.first, timed.executeAsync(CALL));
    assertEquals(Set.of(), outcomes(), "it has no reply yet");
    later.first.cancel(false);

    assertEquals(Set.of("probe cancelled"), outcomes());
    timed.close();
  }

  @Test
  void aBatchStaysABatchAndEachOfItsCommandsIsTimed() {
    Later later = new Later(store.backend());
    LockBackend timed = metrics.timed(later);

    List<CompletableFuture<List<Object>>> replies = timed.executeAll(List.of(CALL, CALL));
    store.advance(Duration.ofMillis(20));
    later.first.complete(List.of(1L));
    store.advance(Duration.ofMillis(10));
    later.second.completeExceptionally(
        new BackendException(BackendException.Outcome.NOT_EXECUTED, "cut off", null));

    assertSame(later.second, replies.get(1));
    assertEquals(Set.of("probe ok", "probe not-executed"), outcomes());
    assertEquals(20, total("ok"));
    assertEquals(30, total("not-executed"));
    timed.close();
  }

  private double total(String outcome) {
    return registry
        .get("mortise.command")
        .tag("outcome", outcome)
        .timer()
        .totalTime(TimeUnit.MILLISECONDS);
  }

  @Test
  void aRegistryThatThrowsHindersNoCommand() {
    registry
        .config()
        .meterFilter(
            new io.micrometer.core.instrument.config.MeterFilter() {
              @Override
              public io.micrometer.core.instrument.Meter.Id map(
                  io.micrometer.core.instrument.Meter.Id id) {
                throw new IllegalStateException("broken on purpose");
              }
            });
    LockBackend timed = metrics.timed(store.backend());

    assertEquals(List.of(1L), timed.execute(CALL));
    assertEquals(List.of(1L), timed.executeAsync(CALL).join());
    timed.close();
  }

  @Test
  void allElseIsForwarded() {
    LockBackend target = store.backend();
    LockBackend timed = metrics.timed(target);

    assertEquals(target.info(), timed.info());
    assertSame(target.time(), timed.time());
    assertEquals(target.toString(), timed.toString());
    timed.close();
    assertThrows(BackendException.class, () -> target.execute(CALL));
  }

  @Test
  void aBackendWhoseWrapperFailsIsClosed() {
    LockBackend target = store.backend();

    assertThrows(
        IllegalStateException.class,
        () ->
            LockService.builder()
                .backend(target)
                .wrapBackend(backend -> {
                  throw new IllegalStateException("no");
                })
                .open());

    assertThrows(BackendException.class, () -> target.execute(CALL));
  }

  @Test
  void aLaterWrapperGetsWhatAnEarlierOneReturned() {
    LockBackend target = store.backend();
    LockBackend timed = metrics.timed(target);
    LockService.builder()
        .backend(target)
        .wrapBackend(backend -> timed)
        .wrapBackend(backend -> {
          assertSame(timed, backend);
          return backend;
        })
        .open()
        .close();
  }
}
