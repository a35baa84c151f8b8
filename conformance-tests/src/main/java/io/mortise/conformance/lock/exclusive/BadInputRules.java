package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.ForeignKeyException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Arguments that a lock cannot serve, and keys that hold foreign data. */
@Rule("L18")
public abstract class BadInputRules extends LockRules {
  protected BadInputRules(LockKit kit) {
    super(kit);
  }

  @Test
  @SuppressWarnings("NullAway") // the test passes null on purpose
  void badNamesAreRefused() {
    LockService service = service();

    assertThrows(NullPointerException.class, () -> service.getLock(null));
    for (String bad :
        List.of("", "a{b", "a}b", "{}", "a{}b", "{a}{b}", "}a{", "a".repeat(513), "\ud800")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> service.getLock(bad), bad);
      String shown = bad.substring(0, Math.min(bad.length(), 32));
      assertTrue(String.valueOf(e.getMessage()).contains(shown), e.getMessage());
    }
    assertDoesNotThrow(() -> service.getLock("ü".repeat(256)));
    assertThrows(IllegalArgumentException.class, () -> service.getLock("ü".repeat(257)));
  }

  @Test
  void badLeasesAreRefusedAndNameTheWayOut() {
    DistributedLock lock = lock();
    List<Executable> bad =
        List.of(
            () -> lock.lock(0, TimeUnit.SECONDS),
            () -> lock.lock(-1, TimeUnit.SECONDS),
            () -> lock.lock(999, TimeUnit.MICROSECONDS),
            () -> lock.lock(Long.MAX_VALUE, TimeUnit.DAYS),
            () -> lock.lockInterruptibly(-1, TimeUnit.SECONDS),
            () -> lock.tryLock(1, -1, TimeUnit.SECONDS),
            () -> lock.withLease(Duration.ZERO),
            () -> lock.withLease(Duration.ofNanos(1)),
            () -> lock.withLease(Duration.ofDays(100_000)));

    for (Executable each : bad) {
      IllegalArgumentException e = assertThrows(IllegalArgumentException.class, each);
      assertTrue(String.valueOf(e.getMessage()).contains("lock()"), e.getMessage());
    }
    assertEquals(false, lock.isLocked());
  }

  @Test
  void aKeyOfAnotherTypeIsSomebodyElses() {
    DistributedLock lock = lock();
    run("return {redis.call('SET', KEYS[1], 'data')}");

    for (Executable each :
        List.<Executable>of(
            lock::lock,
            lock::tryLock,
            () -> lock.tryLock(1, TimeUnit.SECONDS),
            lock::isLocked,
            lock::forceUnlock)) {
      ForeignKeyException e = assertThrows(ForeignKeyException.class, each);
      assertTrue(String.valueOf(e.getMessage()).contains("string"), e.getMessage());
      assertTrue(String.valueOf(e.getMessage()).contains(name), e.getMessage());
    }
    assertEquals(List.of("data"), run("return {redis.call('GET', KEYS[1])}"));
    deleteKey();
  }

  @Test
  void aHashWithoutExpiryIsSomebodyElses() {
    DistributedLock lock = lock();
    run("return {redis.call('HSET', KEYS[1], 'field', 'data')}");

    for (Executable each :
        List.<Executable>of(lock::lock, lock::tryLock, lock::isLocked, lock::forceUnlock)) {
      ForeignKeyException e = assertThrows(ForeignKeyException.class, each);
      assertTrue(String.valueOf(e.getMessage()).contains("without expiry"), e.getMessage());
    }
    assertEquals(List.of("data"), run("return {redis.call('HGET', KEYS[1], 'field')}"));
    deleteKey();
  }
}
