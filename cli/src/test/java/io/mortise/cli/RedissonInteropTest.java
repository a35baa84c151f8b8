package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.ForeignKeyException;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** One lock, taken by Mortise and by Redisson. */
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce"})
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RedissonInteropTest extends RedissonFixture {
  private static final Duration SHORT = Duration.ofSeconds(3);

  RedissonInteropTest(String provider) {
    super(provider);
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

  /** By re-checks alone, ten rounds would take more than 16 s: each begins just after one. */
  @Test
  @Rule({"RS2", "L10"})
  void ourWaiterIsWokenByTheirUnlock() throws Exception {
    for (String lock : List.of(name, name + "{tag}")) {
      DistributedLock ours = service(LEASE).getLock(lock);
      RLock theirs = redisson(LEASE).getLock(lock);
      long waited = 0;
      for (int round = 0; round < 5; round++) {
        theirs.lock();
        Future<Boolean> waiting =
            waiting(() -> {
              ours.lock();
              ours.unlock();
            });
        awaitListeners(lock, 1);
        long freed = System.nanoTime();
        theirs.unlock();
        assertTrue(waiting.get(15, TimeUnit.SECONDS));
        waited += System.nanoTime() - freed;
      }
      assertTrue(waited < TimeUnit.SECONDS.toNanos(5), waited + " ns");
      awaitListeners(lock, 0);
    }
  }

  /** Their own re-check is at the end of the lease they saw, 30 s. */
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

  private static void wakes(
      String lock, DistributedLock ours, RLock theirs, Consumer<DistributedLock> freeing)
      throws Exception {
    ours.lock();
    Future<Boolean> waiting =
        waiting(() -> {
          theirs.lock();
          theirs.unlock();
        });
    awaitListeners(lock, 1);
    freeing.accept(ours);
    assertTrue(waiting.get(15, TimeUnit.SECONDS));
    if (ours.isHeldByCurrentThread()) {
      assertThrows(LeaseLostException.class, ours::unlock);
    }
  }

  private static Future<Boolean> waiting(Runnable task) {
    return CompletableFuture.supplyAsync(
        () -> {
          task.run();
          return true;
        },
        command -> new Thread(command, "waiting").start());
  }

  @Test
  @Rule({"RS2", "L15"})
  void leasesWaitForTheirUnlockAndOneThatIsCancelledListensNoMore() {
    DistributedLock ours = ours();
    RLock theirs = theirs();
    theirs.lock();
    List<CompletableFuture<Lease>> pending = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      pending.add(ours.async().acquire());
    }
    awaitListeners(name, 1);

    theirs.unlock();
    for (CompletableFuture<Lease> each : pending) {
      Await.value(each).close();
    }
    awaitListeners(name, 0);

    theirs.lock();
    CompletableFuture<Lease> cancelled = ours.async().acquire();
    awaitListeners(name, 1);
    cancelled.cancel(false);
    awaitListeners(name, 0);
    theirs.unlock();
  }

  @Test
  @Rule({"RS4", "L8"})
  void eachRenewsItsOwnHoldWhileTheOtherWaits() throws Exception {
    DistributedLock ours = service(SHORT).getLock(name);
    RLock theirs = redisson(SHORT).getLock(name);

    ours.lock();
    Future<Boolean> they =
        waiting(() -> {
          theirs.lock();
          awaitRenewal();
          theirs.unlock();
        });
    awaitRenewal();
    ours.ensureHeld();
    ours.unlock();
    awaitListeners(name, 0);
    Await.until("they hold it", () -> ours.isLocked() || they.isDone());
    ours.lock();
    assertTrue(they.get(15, TimeUnit.SECONDS));
    ours.unlock();
  }

  /** Waits until less of the lease is left than later. */
  private void awaitRenewal() {
    long[] least = {Long.MAX_VALUE};
    Await.until(
        "the lease was raised",
        () -> {
          long left = server().command("PTTL", name) instanceof Long ms ? ms : -2;
          least[0] = Math.min(least[0], left);
          assertTrue(left > 0, "the lease has ended");
          return left > least[0] + 300;
        });
  }

  @Test
  @Rule({"RS4", "L9"})
  void eachCanForceTheOthersHoldOpen() throws Exception {
    DistributedLock ours = service(SHORT).getLock(name);
    RLock theirs = theirs();

    theirs.lock();
    Future<Boolean> next =
        waiting(() -> {
          ours.lock();
          ours.unlock();
        });
    awaitListeners(name, 1);
    assertTrue(ours.forceUnlock());
    assertTrue(next.get(15, TimeUnit.SECONDS));
    assertThrows(IllegalMonitorStateException.class, theirs::unlock);

    ours.lock();
    assertTrue(theirs.forceUnlock());
    Await.until("the loss is known", () -> ours.leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, ours::unlock);
    assertTrue(theirs.tryLock());
  }

  @Test
  @Rule({"RS4", "L7"})
  void whoeverIsKilledFreesTheLockWithinItsLease() throws Exception {
    DistributedLock ours = ours();
    RLock theirs = redisson(LEASE).getLock(name + "-ours");
    try (SharingProcess other = SharingProcess.start(this, "redisson", name, SHORT);
        SharingProcess one = SharingProcess.start(this, "mortise", name + "-ours", SHORT)) {
      assertFalse(ours.tryLock());
      assertFalse(theirs.tryLock());
      other.kill();
      one.kill();
      assertTrue(ours.tryLock(15, TimeUnit.SECONDS));
      assertTrue(theirs.tryLock(15, TimeUnit.SECONDS));
    }
  }

  @Test
  @Rule({"RS1", "L14"})
  void aGrantToNobodyIsGivenBackByTheKeyInTheMessage() {
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
    DistributedLock own =
        closing(LockService.open(server().uri().toString(), provider())).getLock(name);
    for (DistributedLock lock : List.of(shared, own)) {
      lock.lock();
      lock.unlock();
    }
    server().resetCounts();

    own.lock();
    own.unlock();
    assertNull(server().commandCounts().get("publish"));
    assertEquals(5, insideScripts());
    shared.lock();
    shared.unlock();
    assertEquals(5 + 6, insideScripts());
    assertEquals(4, server().commandCounts().get("evalsha"));
    assertEquals(1, server().commandCounts().get("publish"));
  }

  private static long insideScripts() {
    Map<String, Long> counts = server().commandCounts();
    return List.of("exists", "hset", "hdel", "pexpire", "publish", "time", "zscore", "pttl")
        .stream()
        .mapToLong(command -> counts.getOrDefault(command, 0L))
        .sum();
  }

  @Test
  @Rule({"RS5", "L18"})
  void whatIsNoLockIsRefused() {
    RedissonClient redisson = redisson(LEASE);
    DistributedLock ours = ours();

    redisson.getMap(name).put("a", "b");
    ForeignKeyException map = assertThrows(ForeignKeyException.class, ours::lock);
    assertTrue(String.valueOf(map.getMessage()).contains("a hash without expiry"), map::toString);
    assertThrows(ForeignKeyException.class, ours::forceUnlock);
    redisson.getSemaphore(name).delete();
    redisson.getSemaphore(name).trySetPermits(1);
    ForeignKeyException permits = assertThrows(ForeignKeyException.class, ours::tryLock);
    assertTrue(String.valueOf(permits.getMessage()).contains("a string"), permits::toString);
  }

  @Test
  @Rule({"RS5", "L18"})
  void otherKindsOfLockAreRefusedAndSayWhy() {
    LockService service = service(LEASE);
    List<Consumer<String>> kinds =
        List.of(service::getFairLock, service::getFencedLock, service::getReadWriteLock);
    for (Consumer<String> kind : kinds) {
      UnsupportedOperationException refused =
          assertThrows(UnsupportedOperationException.class, () -> kind.accept(name));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("redissonInterop(true)"),
          refused::toString);
    }
    assertThrows(IllegalArgumentException.class, () -> service.getLock("mortise:lock:{x}"));
  }
}
