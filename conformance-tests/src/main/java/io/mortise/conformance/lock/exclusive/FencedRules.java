package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The fenced lock: a later hold has a larger token, whatever happened in between. */
public abstract class FencedRules extends LockRules {
  protected FencedRules(LockKit kit) {
    super(kit);
  }

  private FencedLock fenced() {
    return service().getFencedLock(name);
  }

  private static long token(FencedLock lock) {
    long token = lock.lockAndGetToken();
    assertEquals(token, lock.fencingToken());
    lock.unlock();
    return token;
  }

  private static void assertRise(List<Long> tokens) {
    for (int i = 1; i < tokens.size(); i++) {
      assertTrue(tokens.get(i - 1) < tokens.get(i), i + ": " + tokens);
    }
  }

  @Test
  @Rule("L13")
  void aLaterHoldHasALargerToken() {
    FencedLock one = fenced();
    FencedLock other = fenced();
    List<Long> tokens = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tokens.add(token(i % 2 == 0 ? one : other));
    }
    assertTrue(tokens.get(0) > 0);
    assertRise(tokens);
  }

  @Test
  @Rule("L13")
  void threadsThatHandTheLockOffHaveTokensOfTheirOwn() throws InterruptedException {
    LockService one = service();
    LockService other = service();
    List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
    Crew.run(
        8,
        number -> {
          FencedLock lock = (number % 2 == 0 ? one : other).getFencedLock(name);
          for (int i = 0; i < 200; i++) {
            lock.lock();
            // while it holds the lock, so in the order of the holds
            tokens.add(lock.fencingToken());
            lock.unlock();
          }
        });
    assertEquals(8 * 200, tokens.size());
    assertRise(tokens);
  }

  @Test
  @Rule({"L2", "L13"})
  void nestedHoldsShareTheToken() {
    FencedLock lock = fenced();
    long token = lock.lockAndGetToken();
    assertEquals(token, lock.lockAndGetToken());
    assertEquals(token, lock.withLease(Duration.ofHours(1)).lockAndGetToken());
    lock.unlock();
    lock.unlock();
    assertEquals(token, lock.fencingToken());
    lock.unlock();
  }

  @Test
  @Rule({"L13", "L14"})
  void anAcquisitionThatIsAskedForAgainHasTheTokenThatTheStoreHas() {
    FaultyBackend link = new FaultyBackend(this::backend);
    FencedLock lock = service(link, builder -> builder).getFencedLock(name);
    long first = token(lock);
    link.set(Link.REPLY_LOST, 1);
    AtomicLong second = new AtomicLong();
    Contender again =
        contender(() -> {
          second.set(lock.lockAndGetToken());
          return true;
        });
    passTimeUntil("the lock is requested again", SECOND, again::isInside);

    assertTrue(first < second.get());
    String kept = "return {redis.call('HGET', KEYS[1], redis.call('HKEYS', KEYS[1])[1])}";
    assertEquals(List.<Object>of(second.toString()), run(kept));
    again.leave(lock::unlock);
  }

  @Test
  @Rule("L13")
  void tokensRiseAcrossLossForcedUnlockAndAForgottenCounter() {
    FencedLock one = fenced();
    FencedLock other = fenced();
    List<Long> tokens = new ArrayList<>();
    tokens.add(one.withLease(Duration.ofMillis(200)).lockAndGetToken());
    passTime(Duration.ofMillis(300));
    tokens.add(other.lockAndGetToken());
    assertThrows(LeaseLostException.class, one::fencingToken);
    assertThrows(LeaseLostException.class, one::unlock);
    assertTrue(one.forceUnlock());
    tokens.add(token(one));
    List<Object> unused =
        runOn("mortise:fence:{" + name + "}", "return {redis.call('DEL', KEYS[1])}");
    // until the clock is past the 65 tokens (one per microsecond) that a hold reserves
    passTime(Duration.ofMillis(1));
    tokens.add(token(one));
    assertRise(tokens);
    assertThrows(LeaseLostException.class, other::unlock);
  }

  @Test
  @Rule({"L9", "L13"})
  void aHandOffAfterAForcedUnlockHasASmallerTokenThanTheNewHolder() {
    FaultyBackend link = new FaultyBackend(this::backend);
    FencedLock mine = service(link, builder -> builder).getFencedLock(name);
    List<Long> stale = Collections.synchronizedList(new ArrayList<>());
    long first = mine.lockAndGetToken();
    Contender next =
        contender(() -> {
          stale.add(mine.lockAndGetToken());
          return true;
        });
    FencedLock other = fenced();
    link.mail().set(FaultyMail.Fate.LATE);
    assertTrue(other.forceUnlock());
    long later = other.lockAndGetToken();

    boolean handedOver = unlock(mine);
    if (handedOver) {
      assertTrue(next.result());
      assertTrue(first < stale.get(0) && stale.get(0) < later, first + " " + stale + ' ' + later);
    }
    link.mail().deliver();

    other.unlock();
    assertTrue(next.result());
    next.leave(() -> assertEquals(!handedOver, unlock(mine)));
  }

  /** Whether the lock was held. The unlock may hand it off without a command. */
  private static boolean unlock(FencedLock lock) {
    try {
      lock.unlock();
      return true;
    } catch (LeaseLostException e) {
      return false;
    }
  }

  @Test
  @Rule({"L1", "L3", "L13"})
  void itIsTheSameLockAsThePlainOneOfThatName() {
    LockService service = service();
    FencedLock fenced = service.getFencedLock(name);
    DistributedLock plain = service.getLock(name);
    assertThrows(IllegalMonitorStateException.class, fenced::fencingToken);
    plain.lock();
    assertFalse(contender(fenced::tryLock).result());
    assertFalse(fenced().tryLock());
    assertThrows(IllegalStateException.class, fenced::fencingToken);
    assertThrows(IllegalStateException.class, fenced::lockAndGetToken);
    assertEquals(1, plain.getHoldCount());
    plain.unlock();

    fenced.lock();
    plain.lock();
    assertEquals(2, fenced.getHoldCount());
    assertTrue(fenced.fencingToken() > 0);
    assertFalse(contender(plain::tryLock).result());
    plain.unlock();
    plain.unlock();
    assertFalse(fenced.isLocked());
  }

  @Test
  @Rule({"L13", "L5"})
  void anAttemptReturnsTheTokenOfItsHoldOrNone() throws InterruptedException {
    FencedLock mine = fenced();
    FencedLock theirs = fenced();
    long first = mine.tryLockAndGetToken().orElseThrow();
    assertEquals(first, mine.fencingToken());
    assertEquals(first, mine.tryLockAndGetToken(SECOND).orElseThrow(), "nested holds share it");
    assertTrue(theirs.tryLockAndGetToken().isEmpty());
    assertTrue(theirs.tryLockAndGetToken(Duration.ofSeconds(Long.MIN_VALUE)).isEmpty());
    mine.unlock();
    mine.unlock();
    assertTrue(theirs.tryLockAndGetToken(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow() > first);
    theirs.unlock();
  }
}
