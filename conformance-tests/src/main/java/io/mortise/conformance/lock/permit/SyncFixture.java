package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.function.Executable;

/** The base of the tests of the semaphore and of the count-down latch. */
abstract class SyncFixture extends LockRules {
  /**
   * So long that no lease ends in a test. A waiter goes on only by a message or its own re-check.
   */
  static final Duration LONG = Duration.ofHours(1);

  /** Longer than any re-check, and shorter than an unanswered grant. */
  static final Duration RECHECK = Duration.ofMillis(2500);

  /** For so long after their acquisition permits are handed off inside a service. */
  static final Duration HAND_OFFS = Duration.ofMillis(10);

  private final String family;

  /**
   * @param family the part of its keys after the prefix
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

  /** The same, with that many permits. */
  DistributedSemaphore semaphore(int permits) {
    DistributedSemaphore semaphore = semaphore();
    semaphore.resize(permits);
    return semaphore;
  }

  /** The name of one of its keys. */
  String key(String part) {
    return "mortise:" + family + ':' + part + ":{" + name + '}';
  }

  boolean areWaiting(long waiting) {
    return sizeOf(key("queue")) == waiting;
  }

  /** Waits until that many acquisitions are in the queue in the store. */
  void awaitWaiting(long waiting) {
    Await.until(waiting + " wait", () -> areWaiting(waiting));
  }

  /**
   * Lets so much time pass that no permits are handed off inside a service any more. Then starts
   * one more request for permits, and waits until {@code last} are in the queue.
   */
  CompletableFuture<Lease> waiting(DistributedSemaphore semaphore, int permits, long last) {
    passTime(HAND_OFFS);
    return queued(semaphore, permits, last);
  }

  /** Starts one more request for permits, and waits until {@code last} are in the queue. */
  CompletableFuture<Lease> queued(DistributedSemaphore semaphore, int permits, long last) {
    CompletableFuture<Lease> waiter = semaphore.async(permits).acquire();
    awaitWaiting(last);
    return waiter;
  }

  /** The failure of a call, on a thread of its own, because a call that should fail might wait. */
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

  /** Waits until that many permits are free, and no request waits. */
  void awaitFree(DistributedSemaphore semaphore, int permits) {
    Await.until(
        () -> semaphore.availablePermits() + " are free, not " + permits,
        Await.patience(),
        () -> semaphore.availablePermits() == permits);
    awaitWaiting(0);
    assertEquals(permits, semaphore.availablePermits());
  }
}
