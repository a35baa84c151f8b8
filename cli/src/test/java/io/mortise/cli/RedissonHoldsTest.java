package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.ForeignKeyException;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** How shared holds are renewed and end, and which data is no shared lock. */
@Tag("all")
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
class RedissonHoldsTest extends RedissonFixture {
  private static final Duration SHORT = Duration.ofSeconds(3);

  RedissonHoldsTest(Site site, String provider) {
    super(site, provider);
  }

  @Test
  @Rule({"RS4", "L8"})
  void eachRenewsItsOwnHoldWhileTheOtherWaits() throws Exception {
    DistributedLock ours = service(SHORT).getLock(name);
    RLock theirs = redisson(SHORT).getLock(name);

    ours.lock();
    Future<Boolean> they =
        waiting(
            name,
            () -> {
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

  /** Waits until a renewal has raised the remaining time of the lease. */
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
        waiting(
            name,
            () -> {
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
  void aKilledHolderFreesTheLockWithinItsLease() throws Exception {
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

  @Test
  @Rule({"RS5", "L18"})
  void aServerThatForbidsRedissonsChannelIsRefusedAndSaysWhichToAllow() {
    String[] rules = "ACL SETUSER narrow on >secret ~* resetchannels &mortise:* +@all".split(" ");
    site().servers().forEach(server -> server.command(rules));
    BackendUnavailableException refused =
        assertThrows(
            BackendUnavailableException.class,
            () -> shared(site().uri("narrow:secret"), provider(), LEASE));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("channels redisson_lock__channel:*"),
        refused::toString);
  }
}
