package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.ForeignKeyException;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Semaphores without permits, numbers that make no sense, and keys that hold foreign data. */
@Rule("L18")
public abstract class PermitInputRules extends SyncFixture {
  private final LockService service = patient();
  private final DistributedSemaphore semaphore = service.getSemaphore(name);

  protected PermitInputRules(LockKit kit) {
    super(kit, "sem");
  }

  private void assertSays(Class<? extends Throwable> type, String text, Executable call) {
    String said = String.valueOf(failure(type, call).getMessage());
    assertTrue(said.contains("semaphore '" + name + "'") && said.contains(text), said);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void aNumberOfPermitsIsAtLeastOne(int permits) {
    String text = permits + " permits; give it at least 1";
    List<Executable> calls =
        List.of(
            () -> semaphore.trySetPermits(permits),
            () -> semaphore.resize(permits),
            () -> semaphore.acquire(permits),
            () -> semaphore.tryAcquire(permits),
            () -> semaphore.tryAcquire(permits, SECOND),
            () -> semaphore.acquireUninterruptibly(permits),
            () -> service.getSemaphore(name, permits),
            () -> semaphore.async(permits));
    calls.forEach(call -> assertSays(IllegalArgumentException.class, text, call));
  }

  @Test
  void moreThanThereAreIsRefusedAtOnce() {
    semaphore.resize(3);
    String text = "has 3 permits, and 4 were asked for";
    List<Executable> calls =
        List.of(
            () -> semaphore.acquire(4),
            () -> semaphore.tryAcquire(4),
            () -> semaphore.tryAcquire(4, SECOND));
    calls.forEach(call -> assertSays(IllegalArgumentException.class, text, call));
    Throwable failure = Await.failure(semaphore.async(4).acquire());
    assertInstanceOf(IllegalArgumentException.class, failure);
    semaphore.tryAcquire(3).orElseThrow().close();
    awaitFree(semaphore, 3);
  }

  @Test
  void permitsThatWereNeverSetCannotBeHad() {
    String text = "has no permits set: they were never set, or the store has forgotten them";
    List<Executable> calls =
        List.of(
            semaphore::acquire,
            semaphore::tryAcquire,
            () -> semaphore.tryAcquire(1, SECOND),
            semaphore::availablePermits,
            semaphore::drain);
    calls.forEach(call -> assertSays(IllegalStateException.class, text, call));
    Throwable failure = Await.failure(semaphore.async(1).acquire());
    assertInstanceOf(IllegalStateException.class, failure);
    assertTrue(semaphore.trySetPermits(1));
    awaitFree(semaphore, 1);
  }

  @Test
  void aLeaseThatWasGivenBackOrLostIsNotExtended() {
    semaphore.resize(2);
    Lease closed = take(semaphore, 1);
    closed.close();
    assertSays(IllegalStateException.class, "acquire again", () -> closed.extend(SECOND));
    Lease lost = take(semaphore, 1);
    runOn(key("permits"), "return {redis.call('ZREM', KEYS[1], '!none')}");
    runOn(key("permits"), "return {redis.call('DEL', KEYS[1])}");
    assertFalse(lost.extend(SECOND));
    assertFalse(lost.isValid());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a{b", "}", "{}", "a{b}{c}"})
  void badNamesAreRefused(String bad) {
    String said =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> service.getSemaphore(bad))
                .getMessage());
    assertTrue(said.contains("semaphore name"), said);
    assertThrows(IllegalArgumentException.class, () -> semaphore.withLease(Duration.ofMillis(-1)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis.call('HSET', KEYS[1], 'a', 1) redis.call('PEXPIRE', KEYS[1], 60000)",
        "redis.call('ZADD', KEYS[1], 1, 'a') redis.call('PEXPIRE', KEYS[1], 60000)",
        "redis.call('ZADD', KEYS[1], 5, '!free', 5, '!total')"
      })
  void aKeyOfSomebodyElseIsRefusedAndLeftAlone(String foreign) {
    runOn(key("permits"), foreign + " return {1}");
    List<Executable> calls =
        List.of(
            semaphore::acquire,
            semaphore::tryAcquire,
            semaphore::availablePermits,
            () -> semaphore.trySetPermits(2),
            () -> semaphore.resize(2));
    calls.forEach(call -> assertSays(ForeignKeyException.class, key("permits"), call));
    assertEquals(List.of(1L), runOn(key("permits"), "return {redis.call('EXISTS', KEYS[1])}"));
    runOn(key("permits"), "return {redis.call('DEL', KEYS[1])}");
  }

  @Test
  void oneNameIsALockASemaphoreAndALatchWhichDoNotMeet() {
    semaphore.resize(1);
    Lease permit = take(semaphore, 1);
    assertTrue(service.getLock(name).tryLock());
    assertTrue(service.getReadWriteLock(name).readLock().tryLock());
    assertTrue(service.getCountDownLatch(name).trySetCount(1));
    assertTrue(permit.isValid());
    service.getLock(name).unlock();
    service.getReadWriteLock(name).readLock().unlock();
    permit.close();
    awaitFree(semaphore, 1);
    assertEquals(1, service.getCountDownLatch(name).getCount());
  }
}
