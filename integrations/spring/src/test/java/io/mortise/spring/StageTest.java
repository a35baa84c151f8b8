package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.Kind;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;

/** A method that returns a stage holds its lock until that completes. */
class StageTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Shop {
    CompletableFuture<String> work = new CompletableFuture<>();
    @Nullable CompletionStage<String> other;
    @Nullable Thread thread;

    @Lazy @Autowired Shop self;

    @WithLock(name = "stock", waitFor = "0")
    public CompletableFuture<String> sell() {
      LockContext.ensureHeld();
      thread = Thread.currentThread();
      return work;
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    public CompletionStage<String> sellIfFree() {
      thread = Thread.currentThread();
      return work;
    }

    @WithLock(name = "prices", kind = Kind.WRITE)
    public String writeAndRead() {
      return self.read().join();
    }

    @WithLock(name = "prices", kind = Kind.READ, waitFor = "0")
    public CompletableFuture<String> read() {
      return CompletableFuture.completedFuture("1");
    }

    @WithLock(name = "stock", waitFor = "0")
    public @Nullable CompletionStage<String> other() {
      return other;
    }

    @WithLock(name = "stock", waitFor = "0")
    public CompletableFuture<String> broken() {
      throw new IllegalArgumentException("of the method");
    }
  }

  private final Shop shop = world.start(Shop.class, Object.class);
  private final Shop target = World.target(shop, Shop.class);

  @Test
  void theLockIsHeldUntilTheStageCompletesAndReleasedBefore() {
    CompletableFuture<String> sold = shop.sell();
    assertSame(Thread.currentThread(), target.thread);
    assertFalse(world.isFree("stock"));
    CompletableFuture<Boolean> free = sold.thenApply(result -> world.isFree("stock"));
    target.work.complete("sold");
    assertTrue(Await.value(free));
    assertEquals("sold", sold.join());
  }

  /** Nothing would ever release such a hold. */
  @Test
  @SuppressWarnings("unchecked") // a stage of any type
  void aStageThatRefusesToBeFollowedReleases() {
    target.other =
        (CompletionStage<String>)
            Proxy.newProxyInstance(
                StageTest.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    assertThrows(UnsupportedOperationException.class, shop::other);
    assertTrue(world.isFree("stock"));
  }

  @Test
  void whatDependsOnTheStageDoesNotRunOnTheCallbacksThread() {
    CompletableFuture<String> thread =
        shop.sell().thenApply(result -> Thread.currentThread().getName());
    target.work.complete("sold");
    assertFalse(Await.value(thread).contains("mortise-events"), thread.join());
  }

  @Test
  void aLossReplacesTheResult() {
    CompletableFuture<String> sold = shop.sell();
    world.force("stock");
    target.work.complete("sold");
    assertInstanceOf(LeaseLostException.class, Await.failure(sold));
  }

  @Test
  void aLossIsSuppressedInTheFailure() {
    CompletableFuture<String> sold = shop.sell();
    world.force("stock");
    target.work.completeExceptionally(new IllegalArgumentException("of the work"));
    Throwable failure = Await.failure(sold);
    assertInstanceOf(IllegalArgumentException.class, failure);
    assertInstanceOf(LeaseLostException.class, failure.getSuppressed()[0]);
  }

  @Test
  void toCancelTheStageCancelsTheWorkAndReleases() {
    CompletableFuture<String> sold = shop.sell();
    sold.cancel(true);
    assertTrue(target.work.isCancelled());
    Await.until("the lock is free", () -> world.isFree("stock"));
  }

  @Test
  void aBusyLockIsAnExceptionOrASkippedCall() throws Throwable {
    world.whileHeldElsewhere(
        "stock",
        () -> {
          assertThrows(LockBusyException.class, shop::sell);
          assertNull(shop.sellIfFree().toCompletableFuture().join());
        });
    assertNull(target.thread);
  }

  @Test
  void aStoreThatIsDownIsAnException() {
    world.down = true;
    assertThrows(BackendUnavailableException.class, shop::sell);
    assertThrows(BackendUnavailableException.class, shop::sellIfFree);
    assertNull(target.thread);
  }

  @Test
  void aMethodThatThrowsReleases() {
    assertThrows(IllegalArgumentException.class, shop::broken);
    assertTrue(world.isFree("stock"));
  }

  /** Asking such a pool for another thread throws a RejectedExecutionException. */
  @Test
  void aMethodThatThrowsInAPoolThatMayAddNoThreadReleases() throws Exception {
    ForkJoinPool pool =
        new ForkJoinPool(
            1,
            ForkJoinPool.defaultForkJoinWorkerThreadFactory,
            null,
            true,
            1,
            1,
            1,
            null,
            1,
            TimeUnit.MINUTES);
    try {
      for (int i = 0; i < 50; i++) { // the release may be over before anybody waits for it
        Callable<Throwable> call = () -> assertThrows(IllegalArgumentException.class, shop::broken);
        assertEquals(0, pool.submit(call).get(60, TimeUnit.SECONDS).getSuppressed().length);
        assertTrue(world.isFree("stock"));
      }
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void aThreadThatWouldWaitForItselfIsRefused() throws Exception {
    LockTemplate template = new LockTemplate(world.here);
    assertThrows(
        IllegalStateException.class, () -> template.execute("stock", () -> shop.sell().isDone()));
    DistributedLock byHand = world.here.getLock("stock");
    byHand.lock();
    var refused = assertThrows(IllegalStateException.class, shop::sell);
    assertTrue(World.message(refused).contains("'stock'"), World.message(refused));
    byHand.unlock();
    assertNull(target.thread);
  }

  @Test
  void aStageThatReadsWouldWaitForItsThreadThatWrites() {
    var refused = assertThrows(IllegalStateException.class, shop::writeAndRead);
    assertTrue(World.message(refused).contains("'prices'"), World.message(refused));
  }

  @Test
  void theFailureOfAJoinIsTheLoss() {
    CompletableFuture<String> sold = shop.sell();
    world.force("stock");
    target.work.complete("sold");
    var thrown = assertThrows(CompletionException.class, sold::join);
    assertInstanceOf(LeaseLostException.class, thrown.getCause());
  }
}
