package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A backend as a client of its store. */
class BackendTest {
  private final InMemoryStore store = InMemoryStore.create();
  private final LockBackend backend = store.backend();

  @Test
  void backendsOfOneStoreShareItsKeys() {
    Calls.eval(backend, "redis.call('SET', 'a', 'x') return {}");
    try (LockBackend other = store.backend();
        LockBackend stranger = InMemoryStore.create().backend()) {
      assertEquals(List.of("x"), Calls.eval(other, "return {redis.call('GET', 'a')}"));
      assertEquals(List.of(0L), Calls.eval(stranger, "return {redis.call('EXISTS', 'a')}"));
    }
  }

  @Test
  @DisplayName("B10: a script runs alone, whatever the number of threads and clients")
  void scriptsDoNotMix() throws Exception {
    int threads = 4;
    int rounds = 2_000;
    String readThenWrite =
        "redis.call('SET', 'n', tonumber(redis.call('GET', 'n') or 0) + 1) return {}";
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> futures =
          java.util.stream.IntStream.range(0, threads)
              .<Future<?>>mapToObj(i ->
                  pool.submit(() -> {
                    LockBackend client = store.backend();
                    for (int round = 0; round < rounds; round++) {
                      Calls.eval(client, readThenWrite);
                    }
                  }))
              .toList();
      for (Future<?> future : futures) {
        future.get(60, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
    assertEquals(
        List.of(Integer.toString(threads * rounds)),
        Calls.eval(backend, "return {redis.call('GET', 'n')}"));
  }

  @Test
  @DisplayName("B4: the interrupt flag is ignored and kept")
  void theInterruptFlagIsIgnoredAndKept() {
    Thread.currentThread().interrupt();
    assertEquals(List.of(1L), Calls.eval(backend, "return {1}"));
    assertTrue(Thread.interrupted());
    assertEquals(List.of(2L), Calls.eval(backend, "return {2}"));
    assertFalse(Thread.interrupted());
  }

  @Test
  @DisplayName(
      "B5: an asynchronous call is complete at once and fails with a BackendException only")
  void asynchronousCallsAreCompleteAtOnce() {
    assertEquals(List.of(1L), backend.executeAsync(Calls.call("return {1}")).getNow(List.of()));
    CompletableFuture<List<Object>> failed = backend.executeAsync(Calls.call("error('boom')"));
    CompletionException e = assertThrows(CompletionException.class, failed::join);
    assertEquals(Outcome.REPLIED, assertInstanceOf(BackendException.class, e.getCause()).outcome());
  }

  @Test
  @DisplayName("B6: each call of executeAll succeeds or fails by itself")
  void callsOfOneBatchAreIndependent() {
    List<CompletableFuture<List<Object>>> replies =
        backend.executeAll(
            List.of(
                Calls.call("return {1}"), Calls.call("error('boom')"), Calls.call("return {3}")));
    assertEquals(List.of(1L), replies.get(0).join());
    assertTrue(replies.get(1).isCompletedExceptionally());
    assertEquals(List.of(3L), replies.get(2).join());
  }

  @Test
  @DisplayName("B17: a closed backend fails with NOT_EXECUTED, and others on the store go on")
  void aClosedBackendExecutesNothing() {
    LockBackend other = store.backend();
    backend.close();
    backend.close();
    BackendException e =
        assertThrows(
            BackendException.class,
            () -> Calls.eval(backend, "redis.call('SET', 'a', 1) return {}"));
    assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    CompletionException async =
        assertThrows(
            CompletionException.class, () -> backend.executeAsync(Calls.call("return {1}")).join());
    assertEquals(
        Outcome.NOT_EXECUTED, assertInstanceOf(BackendException.class, async.getCause()).outcome());
    assertEquals(List.of(0L), Calls.eval(other, "return {redis.call('EXISTS', 'a')}"));
  }

  @Test
  @DisplayName("B14, B20: info and time describe the store")
  void infoAndTimeDescribeTheStore() {
    assertEquals("7.0.0", backend.info().serverVersion());
    assertTrue(backend.info().publishCounts());
    assertTrue(backend.info().anyKeys());
    assertEquals(store.toString(), backend.info().endpoint());
    assertEquals(store.toString(), backend.toString());
    assertSame(TimeSource.system(), backend.time());
    InMemoryStore movable = InMemoryStore.withMovableTime();
    assertSame(movable.time(), movable.backend().time());
  }
}
