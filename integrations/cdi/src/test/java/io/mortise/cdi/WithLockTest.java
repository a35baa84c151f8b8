package io.mortise.cdi;

import static io.mortise.cdi.Containers.ELSEWHERE;
import static io.mortise.cdi.Containers.WORLD;
import static io.mortise.cdi.Containers.force;
import static io.mortise.cdi.Containers.isFree;
import static io.mortise.cdi.Containers.message;
import static io.mortise.cdi.Containers.whileHeldElsewhere;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LeaseLostException;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.cdi.WithLock.Kind;
import io.mortise.cdi.WithLock.OnLost;
import io.mortise.conformance.support.Await;
import jakarta.enterprise.context.SessionScoped;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.inject.Singleton;
import jakarta.interceptor.InterceptorBinding;
import java.io.IOException;
import java.io.Serializable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On Weld a method runs on its thread while that holds the lock: acquired, or not run. */
class WithLockTest {
  /** The attributes of a job, under a name of its own. */
  @InterceptorBinding
  @WithLock(name = "job", ifBusy = IfBusy.SKIP, waitFor = "0", atLeast = "1m", maxHold = "30m")
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Nightly {}

  interface Step {
    void run() throws Exception;
  }

  @Singleton
  static class Shop {
    int runs;
    Step inside = () -> {};

    private String run() {
      runs++;
      try {
        inside.run();
      } catch (Exception e) {
        sneak(e);
      }
      return "done";
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void sneak(Exception thrown) throws E {
      throw (E) thrown;
    }

    @WithLock("stock")
    public String sell() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "0")
    String sellNow() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    public void sellIfFree() {
      run();
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    protected Optional<String> soldIfFree() {
      return Optional.of(run());
    }

    @WithLock(name = "stock", waitFor = "forever")
    public String sellInTheEnd() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "forever")
    public String sellUnlessInterrupted() throws InterruptedException {
      return run();
    }

    @WithLock(name = "stock", kind = Kind.FENCED)
    public long token() {
      run();
      return LockContext.fencingToken();
    }

    @WithLock(name = "stock", kind = Kind.FAIR)
    public long noToken() {
      return LockContext.fencingToken();
    }

    @WithLock(name = "prices", kind = Kind.READ, waitFor = "0")
    public String read() {
      return run();
    }

    @WithLock(name = "prices", kind = Kind.WRITE, waitFor = "0")
    public String write() {
      return run();
    }

    @WithLock(name = "stock", lease = "20s")
    public String leased() {
      return run();
    }

    @WithLock(name = "stock", onLost = OnLost.INTERRUPT)
    public void sleep() throws InterruptedException {
      run();
      TimeUnit.HOURS.sleep(1);
    }

    @Nightly
    public void job() {
      run();
    }

    @WithLock("stock")
    @Containers.InTransaction
    public String inTransaction() {
      return run();
    }

    @WithLock("stock")
    private String hidden() {
      LockContext.ensureHeld("stock");
      return run();
    }

    @WithLock("stock")
    static void everywhere() {
      LockContext.ensureHeld("stock");
    }

    public String callsItself() {
      return guarded();
    }

    @WithLock("stock")
    public String guarded() {
      LockContext.ensureHeld("stock");
      return run();
    }
  }

  /** Another object: Weld intercepts no call of an object that is in a call already. */
  @Singleton
  static class Till {
    int runs;

    @WithLock(name = "stock", waitFor = "0")
    public void open() {
      runs++;
      LockContext.ensureHeld("stock");
    }
  }

  /** A bean that the container may write to a disk, and its interceptors with it. */
  @SessionScoped
  static class Basket implements Serializable {
    private static final long serialVersionUID = 1L;

    @WithLock("basket")
    public void add() {}
  }

  private static SeContainer container;
  private static Shop shop;
  private static Till till;

  @BeforeAll
  static void start() {
    container =
        Containers.weld(
            Shop.class,
            Till.class,
            Basket.class,
            Containers.Locks.class,
            Containers.Transactions.class,
            Containers.InTransaction.class,
            Nightly.class);
    shop = container.select(Shop.class).get();
    till = container.select(Till.class).get();
  }

  @AfterAll
  static void stop() {
    container.close();
  }

  @BeforeEach
  void reset() {
    shop.runs = 0;
    shop.inside = () -> {};
    till.runs = 0;
  }

  @AfterEach
  void nothingIsHeld() {
    WORLD.storeUp();
    Containers.assertNothingIsHeld();
  }

  @Test
  void theLockIsHeldWhileTheMethodRuns() {
    shop.inside =
        () -> {
          LockContext.ensureHeld("stock");
          LockContext.ensureHeld();
          assertFalse(isFree("stock"));
        };
    assertEquals("done", shop.sell());
    assertTrue(isFree("stock"));
    assertEquals("done", shop.sellNow());
    shop.sellIfFree();
    assertEquals(Optional.of("done"), shop.soldIfFree());
    assertEquals(4, shop.runs);
    assertThrows(IllegalStateException.class, LockContext::ensureHeld);
  }

  @Test
  void aBusyLockIsAnExceptionOrASkippedCall() throws Throwable {
    whileHeldElsewhere(
        "stock",
        () -> {
          var busy = assertThrows(LockBusyException.class, shop::sellNow);
          assertTrue(message(busy).contains("'stock' was busy, waited 0 ms"), message(busy));
          shop.sellIfFree();
          assertEquals(Optional.empty(), shop.soldIfFree());
        });
    assertEquals(0, shop.runs);
  }

  @Test
  void theWaitEndsAfterTenSecondsOrWhenTheLockIsFree() throws Throwable {
    CompletableFuture<String> late;
    ELSEWHERE.getLock("stock").lock();
    try {
      CompletableFuture<String> sold = CompletableFuture.supplyAsync(shop::sell);
      late = CompletableFuture.supplyAsync(shop::sellInTheEnd);
      WORLD.awaitWaiting("stock", 1);
      Await.until(
          "the wait is over",
          () -> {
            WORLD.advance(Duration.ofSeconds(5));
            return sold.isDone();
          });
      assertInstanceOf(LockBusyException.class, Await.failure(sold));
    } finally {
      ELSEWHERE.getLock("stock").unlock();
    }
    assertEquals("done", Await.value(late));
  }

  @Test
  void anInterruptEndsTheWait() throws Throwable {
    whileHeldElsewhere(
        "stock",
        () -> {
          Thread.currentThread().interrupt();
          assertThrows(LockInterruptedException.class, shop::sellInTheEnd);
          assertTrue(Thread.interrupted());
          Thread.currentThread().interrupt();
          assertThrows(InterruptedException.class, shop::sellUnlessInterrupted);
          assertFalse(Thread.interrupted());
        });
    assertEquals(0, shop.runs);
  }

  @Test
  void anInterruptOfTheMethodIsItsOwn() {
    shop.inside =
        () -> {
          throw new InterruptedException("its own");
        };
    assertEquals("its own", message(assertThrows(InterruptedException.class, shop::sellInTheEnd)));
  }

  @Test
  void aStoreThatIsDownIsAnException() {
    WORLD.storeDown();
    assertThrows(BackendUnavailableException.class, shop::sellNow);
    assertThrows(BackendUnavailableException.class, shop::sellIfFree);
    assertEquals(0, shop.runs);
  }

  @Test
  void whatTheMethodThrowsReachesTheCallerAndReleases() {
    for (Throwable each :
        List.of(new IOException("x"), new IllegalStateException("x"), new AssertionError("x"))) {
      shop.inside =
          () -> {
            if (each instanceof Error error) {
              throw error;
            }
            throw (Exception) each;
          };
      assertEquals(each, assertThrows(each.getClass(), shop::sell));
      Containers.assertNothingIsHeld();
    }
  }

  @Test
  void aLossReplacesTheResultAndIsSuppressedInAnException() {
    shop.inside = () -> force("stock");
    assertThrows(LeaseLostException.class, shop::sell);
    shop.inside =
        () -> {
          force("stock");
          throw new IOException("its own");
        };
    var own = assertThrows(IOException.class, shop::sell);
    assertInstanceOf(LeaseLostException.class, own.getSuppressed()[0]);
  }

  @Test
  void aLostLockIsNotTakenAgainByANestedCall() {
    shop.inside =
        () -> {
          force("stock");
          till.open();
        };
    assertThrows(LeaseLostException.class, shop::sell);
    assertEquals(0, till.runs);
  }

  @Test
  void aLossInterruptsTheMethodThatAsksForIt() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    shop.inside = started::countDown;
    CompletableFuture<Throwable> ended =
        CompletableFuture.supplyAsync(
            () -> assertThrows(InterruptedException.class, () -> shop.sleep()));
    assertTrue(started.await(20, TimeUnit.SECONDS));
    force("stock");
    assertInstanceOf(LeaseLostException.class, Await.value(ended).getSuppressed()[0]);
  }

  @Test
  void aFixedLeaseEndsAndALimitTakesTheLock() {
    shop.inside = () -> WORLD.advance(Duration.ofSeconds(21));
    assertThrows(LeaseLostException.class, shop::leased);
    assertEquals("done", shop.sell());
    shop.inside = () -> WORLD.advance(Duration.ofMinutes(31));
    assertThrows(LeaseLostException.class, shop::job);
  }

  @Test
  void anAnnotationOfTheApplicationHasTheAttributes() {
    shop.job();
    shop.job();
    assertEquals(1, shop.runs);
    assertFalse(isFree("job"));
    WORLD.advance(Duration.ofSeconds(61));
    shop.job();
    assertEquals(2, shop.runs);
    WORLD.advance(Duration.ofSeconds(61));
  }

  @Test
  void nestedCallsShareTheLock() {
    shop.inside =
        () -> {
          till.open();
          assertFalse(isFree("stock"));
        };
    shop.sell();
    assertEquals(1, till.runs);
  }

  @Test
  void readersShareAndAWriterExcludes() {
    shop.inside =
        () -> {
          shop.inside = () -> {};
          assertEquals("done", Await.value(CompletableFuture.supplyAsync(shop::read)));
          Throwable busy = Await.failure(CompletableFuture.supplyAsync(shop::write));
          assertInstanceOf(LockBusyException.class, busy);
        };
    assertEquals("done", shop.read());
    assertEquals("done", shop.write());
  }

  @Test
  void aFencedLockHasAToken() {
    assertTrue(shop.token() < shop.token());
    assertThrows(IllegalStateException.class, shop::noToken);
  }

  @Test
  void theTransactionIsInsideOfTheLock() {
    assertEquals("done", shop.inTransaction());
    assertEquals("held, held", Containers.Transactions.seen);
    assertTrue(isFree("stock"));
  }

  @Test
  void whatTheContainerDoesNotInterceptIsRefusedByTheContext() {
    assertEquals("done", shop.guarded());
    for (Step call :
        List.<Step>of(
            shop::hidden, Shop::everywhere, shop::callsItself, () -> new Shop().guarded())) {
      var outside = assertThrows(IllegalStateException.class, call::run);
      assertTrue(message(outside).contains("lock 'stock' here"), message(outside));
    }
  }
}
