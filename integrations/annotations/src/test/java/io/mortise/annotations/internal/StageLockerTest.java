package io.mortise.annotations.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.annotations.internal.LockTerms.Handle;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a stage that ends later waits for, and what it does not. */
class StageLockerTest {
  private final LockService locks = LockService.open("memory:stages");
  private final LockTerms terms = new LockTerms(Handle.PLAIN, null, Duration.ZERO, false, false);
  private final StageLocker locker = new StageLocker(new CallerTransaction.None());
  private final CompletableFuture<String> work = new CompletableFuture<>();

  @AfterEach
  void close() {
    locks.close();
  }

  private CompletableFuture<?> run() {
    return run("stock");
  }

  private CompletableFuture<?> run(String name) {
    Target target = terms.target(locks, List.of(name));
    return (CompletableFuture<?>) locker.run("sell()", target, terms, () -> work);
  }

  private boolean isFree() {
    return !locks.getLock("stock").isLocked();
  }

  @Test
  void aCommonPoolThatIsBlockedDelaysNeitherTheReleaseNorTheCaller() {
    CountDownLatch over = new CountDownLatch(1);
    try {
      for (int i = 0; i < 100; i++) {
        ForkJoinPool.commonPool().execute(() -> awaitQuietly(over));
      }
      CompletableFuture<?> sold = run();
      CompletableFuture<Boolean> free = sold.thenApply(result -> isFree());
      work.complete("sold");
      assertTrue(Await.value(free));
      assertEquals("sold", sold.join());
    } finally {
      over.countDown();
    }
  }

  @Test
  void whatDependsOnAStageMayWaitForTheReleaseOfAnother() {
    CompletableFuture<?> sold = run();
    CompletableFuture<Boolean> next =
        sold.thenApply(result -> {
          CompletableFuture<?> other = run(); // the work is over
          return Await.value(other.thenApply(sell -> isFree()));
        });
    work.complete("sold");
    assertTrue(Await.value(next));
  }

  @Test
  void theThreadThatCompletesTheStageNeverRunsWhatDependsOnIt() {
    List<CompletableFuture<Thread>> seen = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      seen.add(run("first-" + i).thenApply(result -> Thread.currentThread()));
    }
    work.complete("sold");
    for (CompletableFuture<Thread> each : seen) {
      assertNotEquals(Thread.currentThread(), Await.value(each));
    }
  }

  @Test
  void soItIsForALockThatIsKeptForATransaction() {
    List<Runnable> ends = new ArrayList<>();
    CallerTransaction transaction =
        new CallerTransaction() {
          @Override
          public boolean decides(Object who, Target target) {
            return true;
          }

          @Override
          public void keep(HeldLock hold, Runnable atEnd) {
            ends.add(atEnd);
          }
        };
    Target target = terms.target(locks, List.of("stock"));
    CompletableFuture<?> sold =
        (CompletableFuture<?>)
            new StageLocker(transaction).run("sell()", target, terms, () -> work);
    CompletableFuture<Thread> seen = sold.thenApply(result -> Thread.currentThread());
    work.complete("sold");
    assertNotEquals(Thread.currentThread(), Await.value(seen));
    assertFalse(isFree());
    ends.forEach(Runnable::run);
    Await.until("the lock is free", this::isFree);
  }

  @Test
  void manyThatDependOnAStageMayAllWaitForAnother() {
    int many = 20 * Runtime.getRuntime().availableProcessors();
    CountDownLatch waiting = new CountDownLatch(many);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      String next = "next-" + i; // the lock of a second method, whose work is over at once
      all.add(
          run("first-" + i)
              .thenAccept(result -> {
                waiting.countDown();
                awaitQuietly(waiting);
                Object unused = run(next).join();
              }));
    }
    work.complete("sold");
    all.forEach(Await::value);
  }

  @Test
  void theThreadThatCompletesTheStageDoesNotWaitForWhatDependsOnIt() {
    CountDownLatch over = new CountDownLatch(1);
    try {
      CompletableFuture<?> blocked = run().thenAccept(result -> awaitQuietly(over));
      work.complete("sold");
      Await.until("the lock is free", this::isFree);
      assertFalse(blocked.isDone());
    } finally {
      over.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
