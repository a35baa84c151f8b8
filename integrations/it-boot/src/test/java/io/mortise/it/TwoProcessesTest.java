package io.mortise.it;

import static io.mortise.it.TwoShops.HERE;
import static io.mortise.it.TwoShops.OTHER;
import static io.mortise.it.TwoShops.REDIS;
import static io.mortise.it.TwoShops.lock;
import static io.mortise.it.TwoShops.meter;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Methods with a lock, of the application in two processes on one Redis. */
@Tag("ci")
class TwoProcessesTest {
  private static long inRedis(String key) {
    String number = HERE.bean(StringRedisTemplate.class).opsForValue().get(key);
    return number == null ? 0 : Long.parseLong(number);
  }

  @Test
  void thisIsTheLineOfSpringBootThatTheModuleNames() {
    assertEquals(System.getProperty("it.boot"), SpringBootVersion.getVersion());
  }

  @Test
  void oneThreadOfBothProcessesRunsALockedMethodAtATime() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> done = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        boolean here = i % 2 == 0;
        Callable<Void> task = () -> {
          for (int k = 0; k < 25; k++) {
            var page = here ? HERE.response("/increment") : OTHER.response("/increment");
            assertEquals(200, page.statusCode(), page::body);
          }
          return null;
        };
        done.add(threads.submit(task));
      }
      for (Future<?> each : done) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertEquals(100, inRedis("count"));
  }

  @Test
  void aMethodWhoseLockIsBusyDoesNotRun() throws Exception {
    try (Lease held = lock("orders:7").acquire()) {
      var refused = OTHER.response("/pay?id=7");
      assertEquals(409, refused.statusCode());
      assertTrue(refused.body().contains("CounterService.pay(String)"), refused.body());
      assertTrue(refused.body().contains("orders:7"), refused.body());
      assertEquals("busy", OTHER.get("/pay-if-free?id=7"));
      assertEquals("paid 8", OTHER.get("/pay?id=8"));
    }
    assertEquals("paid 7", OTHER.get("/pay?id=7"));
  }

  @Test
  void aNameThatResolvesToNullIsRefused() throws Exception {
    var refused = HERE.response("/pay");
    assertEquals(500, refused.statusCode());
    assertTrue(
        refused.body().contains("#{#id}") && refused.body().contains("null"), refused.body());
  }

  @Test
  void aMethodDoesNotRunWhileRedisIsFrozen() throws Exception {
    REDIS.pause();
    try {
      var refused = HERE.response("/pay-if-free?id=9");
      assertEquals(500, refused.statusCode());
      assertTrue(
          refused.body().matches("(?s)io.mortise.(OutcomeUnknown|BackendUnavailable)Exception.*"),
          refused.body());
    } finally {
      REDIS.resume();
    }
    Await.until("Redis answers again", () -> isPaid("9"));
  }

  private static boolean isPaid(String id) {
    try {
      return HERE.get("/pay?id=" + id).equals("paid " + id);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aTransactionWhoseLockIsLostIsRolledBack() throws Exception {
    Ledger ledger = HERE.bean(Ledger.class);
    ledger.create();
    ledger.book(() -> {});
    assertEquals(1, ledger.count());
    var refused = HERE.response("/book-and-lose");
    assertTrue(refused.body().contains("LeaseLostException"), refused.body());
    assertEquals(1, ledger.count());
  }

  @Test
  void oneOfBothProcessesRunsAJobAndTheOtherSkipsIt() throws Exception {
    Await.until("one has skipped the job", () -> runs("skipped") > 0);
    Await.until("one has run the job", () -> runs("ran") > 0);
    assertTrue(inRedis("reports") > 0);
    assertEquals(0, inRedis("overlaps"));
  }

  /** The runs of both processes. */
  private static double runs(String outcome) {
    String page = "/actuator/metrics/mortise.scheduled?tag=name:reports&tag=outcome:" + outcome;
    try {
      return meter(HERE.response(page)) + meter(OTHER.response(page));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aRunIsCountedWhenItsWorkIsOver() throws Exception {
    Bills bills = HERE.bean(Bills.class);
    CompletableFuture<Void> end = new CompletableFuture<>();
    CompletableFuture<Void> running = bills.write(end);
    Await.value(bills.write(new CompletableFuture<>()));
    assertEquals(1, meter("mortise.scheduled?tag=name:bills&tag=outcome:skipped"));
    assertEquals(0, meter("mortise.scheduled?tag=name:bills&tag=outcome:ran"));
    end.complete(null);
    Await.value(running);
    assertEquals(1, meter("mortise.scheduled?tag=name:bills&tag=outcome:ran"));
    Await.failure(bills.write(CompletableFuture.failedFuture(new IOException("no paper"))));
    assertEquals(1, meter("mortise.scheduled?tag=name:bills&tag=outcome:failed"));
  }

  /** The common pool has one thread on two processors, and what a thread here waits for needs it. */
  private static final Executor OWN_THREADS = task -> new Thread(task).start();

  @Test
  void anApplicationThatClosesLetsItsWorkFinish() throws Exception {
    Shop closing = Shop.start(TwoShops.properties("server.shutdown=graceful"));
    CompletableFuture<String> page =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return closing.get("/slow");
              } catch (IOException | InterruptedException e) {
                return e.toString();
              }
            },
            OWN_THREADS);
    Await.value(SlowWork.begun);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close, OWN_THREADS);
    assertTrue(lock("slow").isLocked());
    assertFalse(closed.isDone());
    SlowWork.mayEnd.complete(null);
    assertEquals("finished", Await.value(page));
    Await.value(closed);
    assertFalse(lock("slow").isLocked());
  }
}
