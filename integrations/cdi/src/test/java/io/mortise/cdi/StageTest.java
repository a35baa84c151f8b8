package io.mortise.cdi;

import static io.mortise.cdi.Containers.WORLD;
import static io.mortise.cdi.Containers.force;
import static io.mortise.cdi.Containers.isFree;
import static io.mortise.cdi.Containers.whileHeldElsewhere;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LeaseLostException;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.conformance.support.Await;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.inject.Singleton;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A method that returns a stage holds its lock until that completes. */
class StageTest {
  @Singleton
  static class Shop {
    CompletableFuture<String> work = new CompletableFuture<>();
    @Nullable CompletionStage<String> other;
    Runnable inside = () -> {};
    int runs;

    @WithLock(name = "stock", waitFor = "0")
    public CompletableFuture<String> sell() {
      runs++;
      inside.run();
      LockContext.ensureHeld("stock");
      return work;
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    public CompletionStage<String> sellIfFree() {
      runs++;
      return work;
    }

    @WithLock(name = "stock", waitFor = "0")
    public @Nullable CompletionStage<String> other() {
      return other;
    }

    @WithLock(name = "stock", waitFor = "0")
    public CompletableFuture<String> broken() {
      throw new IllegalArgumentException("of the method");
    }

    @WithLock(name = "stock", waitFor = "0", lease = "20s")
    public CompletableFuture<String> leased() {
      return work;
    }
  }

  /** Another object: Weld intercepts no call of an object that is in a call already. */
  @Singleton
  static class Till {
    @WithLock("stock")
    public void open() {}
  }

  private static SeContainer container;
  private static Shop shop;

  @BeforeAll
  static void start() {
    container = Containers.weld(Shop.class, Till.class, Containers.Locks.class);
    shop = container.select(Shop.class).get();
  }

  @AfterAll
  static void stop() {
    container.close();
  }

  @BeforeEach
  void reset() {
    shop.work = new CompletableFuture<>();
    shop.inside = () -> {};
    shop.runs = 0;
  }

  @AfterEach
  void nothingIsHeld() {
    WORLD.storeUp();
    Containers.assertNothingIsHeld();
  }

  @Test
  void theLockIsHeldUntilTheStageCompletesAndReleasedBefore() {
    CompletableFuture<String> sold = shop.sell();
    WORLD.advance(Duration.ofMinutes(5));
    assertFalse(isFree("stock"));
    CompletableFuture<Boolean> free = sold.thenApply(result -> isFree("stock"));
    shop.work.complete("sold");
    assertTrue(Await.value(free));
    assertEquals("sold", sold.join());
  }

  @Test
  void whatDependsOnTheStageDoesNotRunOnTheCallbacksThread() {
    CompletableFuture<String> thread =
        shop.sell().thenApply(result -> Thread.currentThread().getName());
    shop.work.complete("sold");
    assertFalse(Await.value(thread).contains("mortise-events"), thread.join());
  }

  @Test
  void aLossReplacesTheResultAndIsSuppressedInAFailure() {
    CompletableFuture<String> sold = shop.sell();
    force("stock");
    shop.work.complete("sold");
    assertInstanceOf(LeaseLostException.class, Await.failure(sold));

    shop.work = new CompletableFuture<>();
    CompletableFuture<String> failed = shop.sell();
    force("stock");
    shop.work.completeExceptionally(new IllegalArgumentException("of the work"));
    Throwable failure = Await.failure(failed);
    assertInstanceOf(IllegalArgumentException.class, failure);
    assertInstanceOf(LeaseLostException.class, failure.getSuppressed()[0]);
  }

  @Test
  void aFixedLeaseEnds() {
    CompletableFuture<String> sold = shop.leased();
    WORLD.advance(Duration.ofSeconds(21));
    assertTrue(isFree("stock"));
    shop.work.complete("sold");
    assertInstanceOf(LeaseLostException.class, Await.failure(sold));
  }

  @Test
  void toCancelTheStageCancelsTheWorkAndReleases() {
    CompletableFuture<String> sold = shop.sell();
    sold.cancel(true);
    assertTrue(shop.work.isCancelled());
    Await.until("the lock is free", () -> isFree("stock"));
  }

  @Test
  void workThatIsCancelledReleases() {
    shop.work.cancel(true);
    CompletableFuture<String> over = shop.sell();
    assertThrows(CancellationException.class, () -> Await.value(over));
    shop.work = new CompletableFuture<>();
    CompletableFuture<String> sold = shop.sell();
    shop.work.cancel(true);
    assertThrows(CancellationException.class, () -> Await.value(sold));
  }

  @Test
  void aStageThatIsNullIsAnExceptionAndReleases() {
    shop.other = null;
    var missing = assertThrows(NullPointerException.class, shop::other);
    assertTrue(Containers.message(missing).contains("Shop.other()"));
    assertTrue(isFree("stock"));
  }

  /** Nothing would ever release such a hold. */
  @Test
  void aStageThatRefusesToBeFollowedReleases() {
    CompletionStage<?> broken =
        (CompletionStage<?>)
            Proxy.newProxyInstance(
                StageTest.class.getClassLoader(),
                new Class<?>[] {CompletionStage.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    @SuppressWarnings("unchecked")
    CompletionStage<String> typed = (CompletionStage<String>) broken;
    shop.other = typed;
    assertThrows(UnsupportedOperationException.class, shop::other);
    assertTrue(isFree("stock"));
  }

  @Test
  void aStageThatCannotBeCancelledHoldsUntilItsWorkIsOver() {
    shop.other = shop.work.minimalCompletionStage();
    CompletableFuture<?> sold = (CompletableFuture<?>) Objects.requireNonNull(shop.other());
    sold.cancel(true);
    assertFalse(isFree("stock"));
    shop.work.complete("sold");
    Await.until("the lock is free", () -> isFree("stock"));
  }

  @Test
  void aMethodThatThrowsReleases() {
    assertThrows(IllegalArgumentException.class, shop::broken);
    assertTrue(isFree("stock"));
  }

  @Test
  void aBusyLockIsAnExceptionOrASkippedCall() throws Throwable {
    whileHeldElsewhere(
        "stock",
        () -> {
          assertThrows(LockBusyException.class, shop::sell);
          assertNull(shop.sellIfFree().toCompletableFuture().join());
        });
    assertEquals(0, shop.runs);
  }

  @Test
  void aStoreThatIsDownIsAnException() {
    WORLD.storeDown();
    assertThrows(BackendUnavailableException.class, shop::sell);
    assertThrows(BackendUnavailableException.class, shop::sellIfFree);
    assertEquals(0, shop.runs);
  }

  @Test
  void aThreadThatWouldWaitForItselfIsRefused() {
    WORLD.service().getLock("stock").lock();
    try {
      var refused = assertThrows(IllegalStateException.class, shop::sell);
      assertTrue(Containers.message(refused).contains("'stock'"), Containers.message(refused));
      assertEquals(0, shop.runs);
    } finally {
      WORLD.service().getLock("stock").unlock();
    }
    shop.inside = container.select(Till.class).get()::open;
    assertThrows(IllegalStateException.class, shop::sell);
  }
}
