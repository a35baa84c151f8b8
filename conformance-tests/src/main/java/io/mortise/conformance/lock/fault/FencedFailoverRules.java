package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.StaleTokenException;
import io.mortise.conformance.Rule;
import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.RawAcquire;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fencing tokens while sentinels replace a master that lives on. */
public abstract class FencedFailoverRules extends LockRules {
  private final SentinelKit kit;
  private RedisSentinels set;

  protected FencedFailoverRules(SentinelKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void startSet() {
    set = RedisSentinels.start(SECOND);
    closeLast(set);
  }

  private LockBackend openBackend() {
    Duration timeout = Duration.ofSeconds(2);
    return closing(
        kit.provider().open(new BackendConfig(set.uri(), timeout, "mortise-kit", Map.of())));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"B23", "L13"})
  void anOldMasterThatWakesGivesSmallerTokensThanTheNext(boolean counterIsLost) {
    FaultyBackend link = new FaultyBackend(this::openBackend);
    FencedLock lock = service(link, builder -> builder).getFencedLock(name);
    long before = lock.lockAndGetToken();
    lock.unlock();
    RawAcquire raw = RawAcquire.of(link.last("acquire"));

    RedisServer old = set.master();
    assertEquals("0", set.facts(set.sentinels().get(0)).get("config-epoch"));
    old.pause();
    RedisServer next = set.masterAfter(old);
    if (counterIsLost) {
      next.command("DEL", "mortise:fence:{" + name + "}");
    }
    long token = takeOnceThereIsAMaster(lock);
    KeyGuard guard = KeyGuard.of(openBackend(), lock);
    guard.set("guarded", "new", token);

    old.resume();
    long late = raw.token(old, "0");
    assertTrue(before < late, "the old master lives on: " + before + ", then " + late);
    assertTrue(late < token, "the old master gave " + late + ", the next one " + token);
    assertThrows(StaleTokenException.class, () -> guard.set("guarded", "old", late));
    lock.unlock();
  }

  private static long takeOnceThereIsAMaster(FencedLock lock) {
    try {
      assertTrue(lock.tryLock(20, TimeUnit.SECONDS));
      return lock.fencingToken();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
