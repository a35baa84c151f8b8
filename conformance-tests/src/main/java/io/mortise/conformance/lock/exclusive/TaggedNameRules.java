package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.KeyGuard;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A name, and the same name as a hash tag alone. They are one lock in Mortise, and two in Redisson.
 */
@SuppressWarnings("WaitNotInLoop") // the tests check a single return
public abstract class TaggedNameRules extends LockRules {
  /** Longer than a message takes, shorter than a re-check. */
  private static final Duration MOMENT = Duration.ofMillis(300);

  private final String tag = '{' + name + '}';

  protected TaggedNameRules(LockKit kit) {
    super(ofSingleServer(kit));
  }

  private LockService shared() {
    return service(builder -> builder.redissonInterop(true));
  }

  /** What a client of Redisson does. */
  private void redissonLocks(String key) {
    runOn(
        key,
        "redis.call('HSET', KEYS[1], 'u:1', 1) return {redis.call('PEXPIRE', KEYS[1], 30000)}");
  }

  private void redissonUnlocks(String key) {
    String channel = "redisson_lock__channel:" + tag;
    runOn(key, "redis.call('DEL', KEYS[1]) return {redis.call('PUBLISH', '" + channel + "', '0')}");
  }

  @Test
  @Rule({"L1", "L2"})
  void toALockTheyAreOneName() {
    LockService mine = service();
    assertTrue(mine.getLock(name).tryLock());
    assertTrue(mine.getLock(tag).isHeldByCurrentThread());
    assertFalse(service().getLock(tag).tryLock());
    mine.getLock(tag).lock();
    mine.getLock(name).unlock();
    mine.getLock(tag).unlock();
    assertFalse(mine.getLock(name).isLocked());
  }

  @Test
  @Rule({"RS1", "L1"})
  void toRedissonTheyAreTwoLocksAndAWaiterOfOneIsNotGrantedTheOther() {
    DistributedLock held = shared().getLock(name);
    DistributedLock other = shared().getLock(tag);
    held.lock();
    other.lock();
    DistributedLock wanted = shared().getLock(name);
    Contender waiter = entering(wanted);

    other.unlock();

    passTime(MOMENT);
    waiter.awaitRest();
    assertFalse(waiter.isInside(), "two threads hold the lock");
    assertFalse(other.isLocked());
    held.unlock();
    assertTrue(waiter.result());
    assertTrue(other.tryLock());
    other.unlock();
    waiter.leave(wanted::unlock);
  }

  @Test
  @Rule({"RS2", "L10"})
  void aReleaseByRedissonWakesTheWaitersOfThatName() {
    LockService mine = shared();
    for (String key : List.of(name, tag)) {
      redissonLocks(key);
    }
    CompletableFuture<Lease> one = mine.getLock(name).async().acquire();
    CompletableFuture<Lease> two = mine.getLock(tag).async().acquire();
    passTime(MOMENT);

    redissonUnlocks(tag);
    Await.value(two).close();
    assertFalse(one.isDone());
    redissonUnlocks(name);
    Await.value(one).close();
  }

  @Test
  @Rule({"RS1", "C2"})
  void toRedissonTheirConditionsAreTwo() {
    LockService mine = shared();
    DistributedLock one = mine.getLock(name);
    DistributedLock two = mine.getLock(tag);
    Contender waiter =
        Contender.start(() -> {
          one.lock();
          one.newCondition("ready").await();
          one.unlock();
          return true;
        });
    two.lock();
    two.newCondition("ready").signalAll();
    two.unlock();
    passTime(MOMENT);
    assertFalse(waiter.isInside(), "the other lock's release woke it");
    one.lock();
    one.newCondition("ready").signal();
    one.unlock();
    assertTrue(waiter.result());
  }

  @Test
  @Rule("L13")
  void toAGuardTheyAreTwoKeys() {
    KeyGuard guard = KeyGuard.of(backend());
    FencedLock lock = service().getFencedLock(name);
    long older = lock.lockAndGetToken();
    lock.unlock();
    long newer = lock.lockAndGetToken();
    lock.unlock();
    assertNotEquals(older, newer);
    guard.set(name, "one", newer);

    guard.set(tag, "two", older);

    String get = "return {redis.call('GET', KEYS[1])}";
    assertEquals(List.<Object>of("one"), runOn(name, get));
    assertEquals(List.<Object>of("two"), runOn(tag, get));
  }
}
