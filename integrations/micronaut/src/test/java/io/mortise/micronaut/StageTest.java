package io.mortise.micronaut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import io.mortise.micronaut.WithLock.IfBusy;
import jakarta.inject.Singleton;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A method that returns a stage holds its lock until that completes. */
@MortiseTest
class StageTest {
  @Singleton
  @Requires(property = "test", value = "stages")
  static class Shop {
    @Nullable CompletableFuture<String> work = new CompletableFuture<>();
    @Nullable RuntimeException thrown;
    Runnable inside = () -> {};
    int runs;

    @WithLock(name = "stock", waitFor = "0")
    @SuppressWarnings("NullAway") // it may break its own type
    CompletableFuture<String> sell() {
      runs++;
      inside.run();
      if (thrown != null) {
        throw thrown;
      }
      return work;
    }

    @WithLock("stock")
    void count() {
      runs++;
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    CompletionStage<String> sellIfFree() {
      runs++;
      return CompletableFuture.completedStage("sold");
    }
  }

  private LockWorld world;
  private LockService locks;
  private ApplicationContext context;
  private Shop shop;
  private CompletableFuture<String> work;

  @BeforeEach
  void start(LockService locks, LockWorld world) {
    this.world = world;
    this.locks = locks;
    context = Contexts.start(locks, "stages");
    shop = context.getBean(Shop.class);
    work = new CompletableFuture<>();
    shop.work = work;
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private boolean isFree() {
    return world.holds().isEmpty();
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30), "in vain: " + what);
      LockSupport.parkNanos(200_000);
    }
  }

  private static Throwable failure(CompletableFuture<?> future) {
    return Objects.requireNonNull(
        assertThrows(ExecutionException.class, () -> future.get(30, TimeUnit.SECONDS)).getCause());
  }

  @Test
  void theLockIsHeldUntilTheStageCompletesAndReleasedBefore() throws Exception {
    CompletableFuture<String> sold = shop.sell();
    CompletableFuture<Boolean> free = sold.thenApply(result -> isFree());
    assertFalse(isFree());
    work.complete("sold");
    assertTrue(free.get(30, TimeUnit.SECONDS));
    assertEquals("sold", sold.join());
  }

  @Test
  void aFailureOfTheStageReleases() {
    CompletableFuture<String> sold = shop.sell();
    work.completeExceptionally(new IllegalArgumentException("of the work"));
    assertInstanceOf(IllegalArgumentException.class, failure(sold));
    assertTrue(isFree());
  }

  @Test
  void aMethodThatThrowsReleases() {
    shop.thrown = new IllegalArgumentException("of the method");
    assertThrows(IllegalArgumentException.class, shop::sell);
    assertTrue(isFree());
  }

  @Test
  void nullInPlaceOfAStageReleasesAndIsAnError() {
    shop.work = null;
    var missing = assertThrows(NullPointerException.class, shop::sell);
    assertTrue(Contexts.messages(missing).contains("sell() returned null instead of a stage"));
    assertTrue(isFree());
  }

  @Test
  void aStageThatIsCompleteOrCancelledAlreadyReleases() throws Exception {
    assertEquals("sold", shop.sellIfFree().toCompletableFuture().get(30, TimeUnit.SECONDS));
    assertTrue(isFree());
    work.cancel(true);
    CompletableFuture<String> sold = shop.sell();
    await("the stage is cancelled", sold::isDone);
    assertTrue(sold.isCancelled());
    assertTrue(isFree());
  }

  @Test
  void toCancelTheStageCancelsTheWorkAndReleases() {
    CompletableFuture<String> sold = shop.sell();
    sold.cancel(true);
    assertTrue(work.isCancelled());
    await("the lock is free", this::isFree);
  }

  @Test
  void aLossReplacesTheResultAndIsSuppressedInAFailure() {
    CompletableFuture<String> sold = shop.sell();
    assertTrue(world.anotherProcess().getLock("stock").forceUnlock());
    work.complete("sold");
    assertInstanceOf(LeaseLostException.class, failure(sold));

    CompletableFuture<String> next = new CompletableFuture<>();
    shop.work = next;
    CompletableFuture<String> failed = shop.sell();
    assertTrue(world.anotherProcess().getLock("stock").forceUnlock());
    next.completeExceptionally(new IllegalArgumentException("of the work"));
    assertInstanceOf(LeaseLostException.class, failure(failed).getSuppressed()[0]);
  }

  @Test
  void aBusyLockIsAnExceptionOrAnEmptyStage() {
    DistributedLock other = world.anotherProcess().getLock("stock");
    other.lock();
    assertThrows(LockBusyException.class, shop::sell);
    assertNull(shop.sellIfFree().toCompletableFuture().join());
    assertEquals(0, shop.runs);
    other.unlock();
  }

  @Test
  void aThreadThatHoldsTheLockWouldWaitForItself() {
    DistributedLock own = locks.getLock("stock");
    own.lock();
    assertThrows(IllegalStateException.class, shop::sell);
    own.unlock();
    assertEquals(0, shop.runs);
  }

  @Test
  void aMethodThatWouldWaitForTheStageAroundItIsRefused() {
    shop.inside = shop::count;
    var refused = assertThrows(IllegalStateException.class, shop::sell);
    assertTrue(Contexts.messages(refused).contains("not reentrant"));
    assertEquals(1, shop.runs);
    assertTrue(isFree());
  }
}
