package io.mortise.conformance.lock.permit;

import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Waits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.function.Executable;

/** What the tests of the semaphore and of the count-down latch share. */
abstract class SyncFixture extends LockRules {
  /** Whoever goes on has been told, or has asked by itself: no lease ends in a test. */
  static final Duration LONG = Duration.ofHours(1);

  /** Longer than any re-check, and shorter than a grant that nobody answers. */
  static final Duration RECHECK = Duration.ofMillis(2500);

  private final String family;

  /**
   * @param family what its keys begin with, after the prefix
   */
  SyncFixture(LockKit kit, String family) {
    super(kit);
    this.family = family;
  }

  LockService patient() {
    return service(builder -> builder.leaseTime(LONG));
  }

  /** The test's semaphore, as another process would have it. */
  DistributedSemaphore semaphore() {
    return patient().getSemaphore(name);
  }

  /** The same, with so many permits. */
  DistributedSemaphore semaphore(int permits) {
    DistributedSemaphore semaphore = semaphore();
    semaphore.resize(permits);
    return semaphore;
  }

  /** One of its keys. */
  String key(String part) {
    return "mortise:" + family + ':' + part + ":{" + name + '}';
  }

  boolean areWaiting(long waiting) {
    String count = "return {redis.call('ZCARD', KEYS[1])}";
    return runOn(key("queue"), count).equals(List.<Object>of(waiting));
  }

  /** Waits until that many stand in line in the store. */
  void awaitWaiting(long waiting) {
    Await.until(waiting + " wait", () -> areWaiting(waiting));
  }

  /** One that waits for permits, the last of so many. */
  CompletableFuture<Lease> waiting(DistributedSemaphore semaphore, int permits, long last) {
    CompletableFuture<Lease> waiter = semaphore.async(permits).acquire();
    awaitWaiting(last);
    return waiter;
  }

  /** What a call fails with, on a thread of its own: one that should fail might wait instead. */
  static <T extends Throwable> T failure(Class<T> type, Executable call) {
    Contender caller =
        Contender.startBusy(() -> {
          try {
            call.execute();
          } catch (RuntimeException | InterruptedException e) {
            throw e;
          } catch (Throwable e) {
            throw new AssertionError(e);
          }
          return false;
        });
    return assertInstanceOf(type, caller.failure());
  }

  static Lease take(DistributedSemaphore semaphore, int permits) {
    return semaphore.tryAcquire(permits).orElseThrow();
  }

  /** Waits until so many permits are free, and nobody waits. */
  void awaitFree(DistributedSemaphore semaphore, int permits) {
    Await.until(
        () -> semaphore.availablePermits() + " are free, not " + permits,
        Await.patience(),
        () -> semaphore.availablePermits() == permits);
    awaitWaiting(0);
    assertEquals(permits, semaphore.availablePermits());
  }
}
