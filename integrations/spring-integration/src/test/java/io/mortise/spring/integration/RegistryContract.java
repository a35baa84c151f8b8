package io.mortise.spring.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * What Spring Integration's own tests ask of the registries that it ships ({@code
 * RedisLockRegistryTests}, 7.1), in words of our own. They are part of no published artifact.
 *
 * <p>Not here, because there is no such thing: the number of handles that a registry keeps, and
 * what falls out of it (this one keeps none), its executor, and its scheduler for renewals (the
 * service renews). A lost hold is a {@link LeaseLostException} and a lock that the thread does not
 * hold an {@link IllegalMonitorStateException}, where theirs throw a {@code
 * ConcurrentModificationException} and an {@code IllegalStateException}.
 */
abstract class RegistryContract {
  private static final String KEY = "orders";
  private static final Duration SHORT = Duration.ofMillis(100);

  /** A new connection may be part of it, on a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private final List<LockService> open = new ArrayList<>();
  private MortiseLockRegistry here;
  private MortiseLockRegistry there;

  abstract LockService open();

  @BeforeEach
  void openTwo() {
    here = registry();
    there = registry();
  }

  @AfterEach
  void close() {
    open.forEach(LockService::close);
  }

  private MortiseLockRegistry registry() {
    open.add(open());
    return new MortiseLockRegistry(open.get(open.size() - 1));
  }

  private static <T> CompletableFuture<T> inThread(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(() -> {
          try {
            result.complete(work.call());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    thread.start();
    return result;
  }

  private static boolean trySoon(Lock lock) {
    return Await.value(
        inThread(() -> {
          boolean acquired = lock.tryLock(SOON.toMillis(), TimeUnit.MILLISECONDS);
          if (acquired) {
            lock.unlock();
          }
          return acquired;
        }));
  }

  @Test
  void aLockIsLockedAndUnlockedAgainAndAgain() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      Lock lock = here.obtain(KEY);
      lock.lock();
      lock.unlock();
      lock.lockInterruptibly();
      lock.unlock();
    }
    here.expireUnusedOlderThan(0);
    assertTrue(trySoon(there.obtain(KEY)), "it is free");
  }

  @Test
  void aThreadLocksAgainWhatItHolds() throws InterruptedException {
    Lock first = here.obtain(KEY);
    Lock second = here.obtain(KEY);
    assertEquals(first, second, "both are the same lock");
    first.lock();
    second.lock();
    second.lockInterruptibly();
    assertTrue(second.tryLock());
    for (int i = 0; i < 3; i++) {
      second.unlock();
    }
    assertFalse(trySoon(there.obtain(KEY)), "it is still held");
    first.unlock();
    assertTrue(trySoon(there.obtain(KEY)), "it is free");
  }

  @Test
  void twoKeysAreTwoLocks() {
    Lock orders = here.obtain(KEY);
    Lock bills = here.obtain("bills");
    assertNotEquals(orders, bills);
    orders.lock();
    bills.lock();
    assertTrue(trySoon(here.obtain("others")));
    bills.unlock();
    orders.unlock();
  }

  @Test
  void registriesOfDifferentNamesDoNotExcludeEachOther() {
    MortiseLockRegistry files = new MortiseLockRegistry(open.get(0), "files");
    MortiseLockRegistry filesThere = new MortiseLockRegistry(open.get(1), "files");
    Lock lock = files.obtain(KEY);
    lock.lock();
    assertTrue(trySoon(there.obtain(KEY)));
    assertFalse(trySoon(filesThere.obtain(KEY)));
    assertNotEquals(lock, here.obtain(KEY));
    lock.unlock();
  }

  @Test
  void aThreadDoesNotGetWhatAnotherHoldsAndMayNotUnlockIt() {
    Lock lock = here.obtain(KEY);
    lock.lock();
    for (Lock same : List.of(here.obtain(KEY), there.obtain(KEY))) {
      assertFalse(trySoon(same));
      Throwable refused =
          Await.failure(
              inThread(() -> {
                same.unlock();
                return "done";
              }));
      assertEquals(IllegalMonitorStateException.class, refused.getClass());
    }
    lock.unlock();
  }

  @Test
  void aThreadGetsTheLockWhenTheHolderHasUnlocked() {
    Lock lock = here.obtain(KEY);
    for (MortiseLockRegistry each : List.of(here, there)) {
      lock.lock();
      AtomicInteger entered = new AtomicInteger();
      CompletableFuture<Integer> waits =
          inThread(() -> each.executeLocked(KEY, entered::incrementAndGet));
      assertThrows(
          TimeoutException.class, () -> waits.get(SHORT.toMillis(), TimeUnit.MILLISECONDS));
      assertEquals(0, entered.get());
      lock.unlock();
      assertEquals(1, Await.value(waits));
    }
  }

  @Test
  void ofTwoThatWaitOneGetsTheLock() {
    Lock lock = here.obtain(KEY);
    lock.lock();
    AtomicInteger holders = new AtomicInteger();
    List<CompletableFuture<MortiseLockRegistry>> waits = new ArrayList<>();
    for (MortiseLockRegistry each : List.of(registry(), there)) {
      waits.add(
          inThread(() -> {
            each.obtain(KEY).lock();
            holders.incrementAndGet();
            return each; // and this thread keeps it to its end
          }));
    }
    lock.unlock();
    CompletableFuture.anyOf(waits.get(0), waits.get(1)).orTimeout(15, TimeUnit.SECONDS).join();
    assertThrows(
        CompletionException.class,
        () ->
            CompletableFuture.allOf(waits.get(0), waits.get(1))
                .orTimeout(300, TimeUnit.MILLISECONDS)
                .join());
    assertEquals(1, holders.get());
  }

  @Test
  void tenRegistriesAndTwoThreadsInEachExcludeEachOther() {
    int[] counter = new int[1]; // not atomic
    List<CompletableFuture<String>> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      MortiseLockRegistry registry = registry();
      for (int thread = 0; thread < 2; thread++) {
        all.add(
            inThread(() -> {
              for (int run = 0; run < 5; run++) {
                registry.executeLocked(KEY, () -> counter[0] = counter[0] + 1);
              }
              return "done";
            }));
      }
    }
    all.forEach(Await::value);
    assertEquals(100, counter[0]);
  }

  @Test
  void aLockWithATimeToLiveEndsByItself() throws InterruptedException {
    DistributedLock lock = here.obtain(KEY);
    lock.lock(SHORT);
    Await.until("it is free", () -> trySoon(there.obtain(KEY)));
    assertThrows(LeaseLostException.class, lock::unlock);

    assertTrue(lock.tryLock(Duration.ofMinutes(1), Duration.ofMinutes(1)));
    assertFalse(trySoon(there.obtain(KEY)));
    lock.unlock();
    assertTrue(trySoon(there.obtain(KEY)));
  }

  @Test
  void aFailedAttemptOfAnotherDoesNotMakeTheLeaseLonger() throws InterruptedException {
    DistributedLock lock = here.obtain(KEY);
    lock.lock(Duration.ofMinutes(1));
    Duration before = open.get(0).getLock(KEY).remaining();
    Thread.sleep(5);
    assertFalse(trySoon(there.obtain(KEY)));
    assertTrue(open.get(0).getLock(KEY).remaining().compareTo(before) < 0);
    lock.unlock();
  }

  @Test
  void aHeldLockIsRenewedForLonger() {
    DistributedLock lock = here.obtain(KEY);
    lock.lock();
    here.renewLock(KEY);
    lock.unlock();
    lock.lock(Duration.ofSeconds(5));
    here.renewLock(KEY, Duration.ofMinutes(10));
    assertTrue(open.get(0).getLock(KEY).remaining().compareTo(Duration.ofMinutes(9)) > 0);
    here.renewLock(KEY, Duration.ofSeconds(1));
    assertTrue(
        open.get(0).getLock(KEY).remaining().compareTo(Duration.ofMinutes(9)) > 0,
        "it is never made shorter");
    lock.unlock();
    assertTrue(trySoon(there.obtain(KEY)), "one unlock was enough");
  }

  @Test
  void aLockThatTheThreadDoesNotHoldIsNotRenewed() {
    assertThrows(IllegalMonitorStateException.class, () -> here.renewLock(KEY));
    assertThrows(IllegalMonitorStateException.class, () -> here.renewLock(KEY, SHORT));
    there.obtain(KEY).lock();
    assertThrows(IllegalMonitorStateException.class, () -> here.renewLock(KEY));
    assertThrows(IllegalMonitorStateException.class, () -> here.renewLock(KEY, SHORT));
    there.obtain(KEY).unlock();
  }

  @Test
  void anInterruptedThreadUnlocks() {
    Lock lock = here.obtain(KEY);
    lock.lock();
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> here.obtain("bills").lockInterruptibly());
    Thread.currentThread().interrupt();
    lock.unlock();
    assertTrue(Thread.interrupted(), "the flag stays set");
    assertTrue(trySoon(there.obtain(KEY)), "it is free when unlock returns");
  }
}
