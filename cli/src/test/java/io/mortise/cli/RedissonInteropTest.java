package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RLock;

/** A lock that Mortise and Redisson share. */
@Tag("ci")
@Tag("once")
@ParameterizedClass
@CsvSource({
  "SINGLE, jedis",
  "SINGLE, lettuce",
  "SENTINELS, jedis",
  "SENTINELS, lettuce",
  "CLUSTER, jedis",
  "CLUSTER, lettuce"
})
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RedissonInteropTest extends RedissonFixture {
  RedissonInteropTest(Site site, String provider) {
    super(site, provider);
  }

  @Test
  @Rule({"RS1", "L2"})
  void eachSeesTheOthersHoldUntilItsOutermostUnlock() {
    DistributedLock ours = ours();
    RLock theirs = theirs();

    theirs.lock();
    theirs.lock();
    assertFalse(ours.tryLock());
    assertTrue(ours.isLocked());
    theirs.unlock();
    assertFalse(ours.tryLock());
    theirs.unlock();

    ours.lock();
    ours.lock();
    assertFalse(theirs.tryLock());
    assertTrue(theirs.isLocked());
    assertTrue(ours.remainTimeToLive() > 0 && theirs.remainTimeToLive() > 0);
    ours.unlock();
    assertFalse(theirs.tryLock());
    ours.unlock();
    assertTrue(theirs.tryLock());
  }

  /** Loads the scripts, so that later each request is one command. */
  private static void loadScripts(DistributedLock ours, RLock theirs) {
    ours.lock();
    ours.unlock();
    theirs.lock();
    theirs.unlock();
  }

  /**
   * With re-checks alone ten rounds would take more than 16 s, because each begins just after one.
   */
  @Test
  @Rule({"RS2", "L10"})
  void ourWaiterIsWokenByTheirUnlock() throws Exception {
    for (String lock : List.of(name, name + "{tag}")) {
      DistributedLock ours = service(LEASE).getLock(lock);
      RLock theirs = redisson(LEASE).getLock(lock);
      loadScripts(ours, theirs);
      long waited = 0;
      for (int round = 0; round < 5; round++) {
        theirs.lock();
        Future<Boolean> waiting =
            waiting(
                lock,
                () -> {
                  ours.lock();
                  ours.unlock();
                });
        long freed = System.nanoTime();
        theirs.unlock();
        assertTrue(waiting.get(15, TimeUnit.SECONDS));
        waited += System.nanoTime() - freed;
      }
      assertTrue(waited < TimeUnit.SECONDS.toNanos(5), waited + " ns");
      awaitListeners(lock, 0);
    }
  }

  /** Redisson's own re-check is at the end of the lease it saw, 30 s. */
  @Test
  @Rule({"RS2", "L10"})
  void theirWaiterIsWokenByOurUnlock() throws Exception {
    for (String lock : List.of(name, name + "{tag}")) {
      DistributedLock ours = service(LEASE).getLock(lock);
      RLock theirs = redisson(LEASE).getLock(lock);
      wakes(lock, ours, theirs, DistributedLock::unlock);
      wakes(lock, ours, theirs, held -> assertTrue(held.forceUnlock()));
    }
  }

  private void wakes(
      String lock, DistributedLock ours, RLock theirs, Consumer<DistributedLock> freeing)
      throws Exception {
    ours.lock();
    Future<Boolean> waiting =
        waiting(
            lock,
            () -> {
              theirs.lock();
              theirs.unlock();
            });
    freeing.accept(ours);
    assertTrue(waiting.get(15, TimeUnit.SECONDS));
    if (ours.isHeldByCurrentThread()) {
      assertThrows(LeaseLostException.class, ours::unlock);
    }
  }

  @Test
  @Rule({"RS2", "L15"})
  void leasesWaitForTheirUnlockAndOneThatIsCancelledListensNoMore() {
    DistributedLock ours = ours();
    RLock theirs = theirs();
    theirs.lock();
    List<CompletableFuture<Void>> pending = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      pending.add(ours.async().acquire().thenCompose(Lease::releaseAsync));
    }
    awaitListeners(name, 1);

    theirs.unlock();
    Await.value(CompletableFuture.allOf(pending.toArray(CompletableFuture<?>[]::new)));
    awaitListeners(name, 0);

    theirs.lock();
    CompletableFuture<Lease> cancelled = ours.async().acquire();
    awaitListeners(name, 1);
    cancelled.cancel(false);
    awaitListeners(name, 0);
    theirs.unlock();
  }

  @Test
  @Rule({"RS1", "L14"})
  void anUnwantedGrantIsReleasedByTheKeyInTheMessage() {
    LockService service = service(LEASE);
    String gone = service.clientId() + ":999:1";
    server().command("HSET", name, gone, "1");
    server().command("PEXPIRE", name, "30000");

    server().command("PUBLISH", "mortise:mail:" + service.clientId(), "grant|" + gone + '|' + name);

    Await.until("the lock is free", () -> Long.valueOf(0).equals(server().command("EXISTS", name)));
  }

  @Test
  @Rule({"RS2", "L19"})
  void anUncontendedLockCostsOneCommandMoreAndNoneWithoutTheOption() {
    DistributedLock shared = ours();
    DistributedLock own = ownService().getLock(name);
    for (DistributedLock lock : List.of(shared, own)) {
      lock.lock();
      lock.unlock();
    }
    RedisServer on = server();
    site().counted(() -> costs(on, own, shared));
  }

  private void costs(RedisServer on, DistributedLock own, DistributedLock shared) {
    on.resetCounts();
    own.lock();
    own.unlock();
    assertNull(on.commandCounts().get(site().publish()));
    assertEquals(5, insideScripts(on));
    shared.lock();
    shared.unlock();
    assertEquals(5 + 6, insideScripts(on));
    assertEquals(4, on.commandCounts().get("evalsha"));
    assertEquals(1, on.commandCounts().get(site().publish()));
  }

  private long insideScripts(RedisServer on) {
    Map<String, Long> counts = on.commandCounts();
    return List.of("exists", "hset", "hdel", "pexpire", site().publish(), "time", "zscore", "pttl")
        .stream()
        .mapToLong(command -> counts.getOrDefault(command, 0L))
        .sum();
  }
}
