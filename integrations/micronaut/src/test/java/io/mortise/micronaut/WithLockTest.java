package io.mortise.micronaut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micronaut.aop.InterceptPhase;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import io.mortise.junit.StoreHold;
import io.mortise.micronaut.WithLock.IfBusy;
import io.mortise.micronaut.WithLock.Kind;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A method that is called on its thread: acquired, or not run, and never left held. */
@MortiseTest
class WithLockTest {
  /** Where the annotation is inherited from. */
  interface Counted {
    @WithLock("counter")
    String count();
  }

  static class Counter {
    private volatile Runnable inside = () -> {};

    void setInside(Runnable inside) {
      this.inside = inside;
    }

    public String count() {
      inside.run();
      return "counted";
    }
  }

  @Factory
  @Requires(property = "test", value = "shop")
  static class Counters {
    @Singleton
    @Named("all")
    @WithLock("all")
    Counter all() {
      return new Counter();
    }

    @Singleton
    @Named("bottles")
    @WithLock("bottles")
    Counter bottles() {
      return new Counter();
    }
  }

  @Singleton
  @Requires(property = "test", value = "shop")
  static class Shop implements Counted {
    final AtomicInteger runs = new AtomicInteger();
    volatile Runnable inside = () -> {};

    private String run() {
      runs.incrementAndGet();
      inside.run();
      return "done";
    }

    @WithLock("stock")
    String sell() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "0")
    String sellNow() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP)
    Optional<String> sellIfFree() {
      return Optional.of(run());
    }

    @WithLock(name = "stock", waitFor = "0", ifBusy = IfBusy.SKIP, atLeast = "1m")
    void report() {
      run();
    }

    @WithLock(name = "stock", lease = "20s")
    String leased() {
      return run();
    }

    @WithLock("orders:{id}:{1}:${shop.place}")
    String pay(@Nullable Object id, String part) {
      return run();
    }

    @WithLock(names = {"shelf:{shelf}", "items:{items}", "items:1"})
    String move(@Nullable String shelf, List<Integer> items) {
      return run();
    }

    @WithLock(names = "items:{0}")
    String moveAll(int[] items) {
      return run();
    }

    @WithLock(name = "stock", kind = Kind.FENCED)
    String fenced() {
      return run();
    }

    @WithLock(name = "stock", kind = Kind.READ)
    String read() {
      return run();
    }

    @WithLock(name = "stock", kind = Kind.WRITE, waitFor = "0")
    String write() {
      return run();
    }

    @WithLock("stock")
    String fail() throws IOException {
      run();
      throw new IOException("of the method");
    }

    @WithLock("stock")
    Object promise() {
      run();
      return (Callable<String>) () -> "later";
    }

    String callsItself() {
      return sell();
    }

    @Override
    public String count() {
      return run();
    }
  }

  private LockWorld world;
  private LockService locks;
  private ApplicationContext context;
  private Shop shop;

  @BeforeEach
  void start(LockService locks, LockWorld world) {
    this.world = world;
    this.locks = locks;
    context = Contexts.start(locks, "shop", "shop.place=north");
    shop = context.getBean(Shop.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private Set<String> held() {
    return world.holds().stream()
        .map(StoreHold::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void holdsInside(String... names) {
    shop.inside = () -> assertEquals(Set.of(names), held());
  }

  private void nothingIsHeld() {
    assertEquals(Set.of(), held());
  }

  private DistributedLock elsewhere() {
    return world.anotherProcess().getLock("stock");
  }

  @Test
  void theMethodRunsUnderItsLockWhichIsFreeAfterIt() {
    holdsInside("stock");
    assertEquals("done", shop.sell());
    nothingIsHeld();
  }

  @Test
  void parametersByNameAndNumberAndPropertiesMakeTheName() {
    holdsInside("orders:42:b:north");
    assertEquals("done", shop.pay(42, "b"));
    assertEquals("done", shop.pay(Optional.of("42"), "b"));
  }

  @Test
  void anArgumentThatNamesNothingIsRefused() {
    for (Object bad : List.of(new Object(), new int[] {1}, List.of(1), Map.of(1, 2), " ")) {
      assertThrows(IllegalArgumentException.class, () -> shop.pay(bad, "b"));
    }
    var refused = assertThrows(IllegalArgumentException.class, () -> shop.pay(null, "b"));
    assertTrue(Contexts.messages(refused).contains("{id} in its lock name is null"));
    assertThrows(IllegalArgumentException.class, () -> shop.move(null, List.of(1)));
    assertEquals(0, shop.runs.get());
  }

  @Test
  void severalNamesAreHeldTogether() {
    holdsInside("shelf:a", "items:1", "items:2");
    assertEquals("done", shop.move("a", List.of(1, 2)));
    holdsInside("items:3", "items:4");
    assertEquals("done", shop.moveAll(new int[] {3, 4}));
    nothingIsHeld();
  }

  @Test
  void noNameAtAllIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> shop.moveAll(new int[0]));
    assertEquals(0, shop.runs.get());
  }

  @Test
  void aBusyLockFailsOrSkips() {
    DistributedLock other = elsewhere();
    other.lock();
    var busy = assertThrows(LockBusyException.class, shop::sellNow);
    assertTrue(Contexts.messages(busy).contains("Shop.sellNow() did not run: lock 'stock'"));
    assertEquals(Optional.empty(), shop.sellIfFree());
    shop.report();
    assertEquals(0, shop.runs.get());
    other.unlock();
    assertEquals(Optional.of("done"), shop.sellIfFree());
  }

  @Test
  void aCallWaitsForTheLock() throws Exception {
    DistributedLock other = elsewhere();
    other.lock();
    CompletableFuture<String> sold = CompletableFuture.supplyAsync(shop::sell);
    world.awaitWaiting("stock", 1);
    other.unlock();
    assertEquals("done", sold.get(30, TimeUnit.SECONDS));
  }

  @Test
  void thePropertyIsTheWaitWhereTheAnnotationSaysNothing() {
    DistributedLock other = elsewhere();
    other.lock();
    try (ApplicationContext impatient =
        Contexts.start(locks, "shop", "shop.place=", "mortise.with-lock.wait-for=0")) {
      Shop there = impatient.getBean(Shop.class);
      var busy = assertThrows(LockBusyException.class, there::sell);
      assertTrue(Contexts.messages(busy).contains("waited 0 ms"), busy::getMessage);
    }
    other.unlock();
  }

  @Test
  void aMethodThatThrowsReleases() {
    assertEquals("of the method", assertThrows(IOException.class, shop::fail).getMessage());
    nothingIsHeld();
    shop.inside =
        () -> {
          throw new AssertionError("an error");
        };
    assertThrows(AssertionError.class, shop::sell);
    nothingIsHeld();
  }

  @Test
  void aLossReplacesTheResultAndIsSuppressedInAnException() {
    shop.inside = () -> assertTrue(elsewhere().forceUnlock());
    assertThrows(LeaseLostException.class, shop::sell);
    Throwable failure = assertThrows(IOException.class, shop::fail);
    assertInstanceOf(LeaseLostException.class, failure.getSuppressed()[0]);
    nothingIsHeld();
  }

  @Test
  void aCallInsideOfOneThatHasLostTheLockDoesNotRun() {
    shop.inside =
        () -> {
          shop.inside = () -> {};
          assertTrue(elsewhere().forceUnlock());
          DistributedLock own = locks.getLock("stock");
          long start = System.nanoTime();
          while (own.isHeldByCurrentThread()) { // the message of the loss is on its way
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(30));
            LockSupport.parkNanos(200_000);
          }
          shop.sell();
        };
    assertThrows(LeaseLostException.class, shop::sell);
    assertEquals(1, shop.runs.get());
    nothingIsHeld();
  }

  @Test
  void aFixedLeaseEnds() {
    shop.inside = () -> world.advance(Duration.ofSeconds(21));
    assertThrows(LeaseLostException.class, shop::leased);
    nothingIsHeld();
  }

  @Test
  void aThreadMayCallAMethodWithTheSameLock() {
    shop.inside =
        () -> {
          shop.inside = () -> {};
          assertEquals("done", shop.sellNow());
          assertEquals(Set.of("stock"), held());
        };
    assertEquals("done", shop.sell());
    nothingIsHeld();
  }

  @Test
  void aCallOfTheObjectItselfIsLockedToo() {
    holdsInside("stock");
    assertEquals("done", shop.callsItself());
  }

  @Test
  void theAnnotationOfAnInterfaceCounts() {
    holdsInside("counter");
    assertEquals("done", shop.count());
  }

  @Test
  void theAnnotationOfAFactorysMethodLocksTheMethodsOfItsBean() {
    for (String name : List.of("all", "bottles")) {
      Counter counter = context.getBean(Counter.class, Qualifiers.byName(name));
      counter.setInside(() -> assertEquals(Set.of(name), held()));
      assertEquals("counted", counter.count());
    }
  }

  @Test
  void theLockIsNotFreeBeforeTheLeastTime() {
    shop.report();
    assertThrows(LockBusyException.class, shop::sellNow);
    world.advance(Duration.ofSeconds(59));
    assertThrows(LockBusyException.class, shop::sellNow);
    world.advance(Duration.ofSeconds(2));
    assertEquals("done", shop.sellNow());
  }

  @Test
  void aFencedLockGivesItsHandleTheToken() {
    shop.inside = () -> assertTrue(locks.getFencedLock("stock").fencingToken() > 0);
    assertEquals("done", shop.fenced());
  }

  @Test
  void aWriterIsRefusedWhileAnotherReads() {
    var read = world.anotherProcess().getReadWriteLock("stock").readLock();
    read.lock();
    assertEquals("done", shop.read());
    assertThrows(LockBusyException.class, shop::write);
    read.unlock();
    assertEquals("done", shop.write());
  }

  @Test
  void aStoreThatIsDownIsAnExceptionAlsoIfACallMayBeSkipped() {
    world.storeDown();
    assertThrows(BackendUnavailableException.class, shop::sellNow);
    assertThrows(BackendUnavailableException.class, shop::sellIfFree);
    assertEquals(0, shop.runs.get());
  }

  @Test
  void anInterruptKeepsTheMethodFromRunning() {
    DistributedLock other = elsewhere();
    other.lock();
    Thread.currentThread().interrupt();
    assertThrows(LockInterruptedException.class, shop::sell);
    assertTrue(Thread.interrupted());
    assertEquals(0, shop.runs.get());
    other.unlock();
  }

  @Test
  void workForLaterThatTheTypeDoesNotTellIsRefused() {
    var refused = assertThrows(IllegalStateException.class, shop::promise);
    assertTrue(Contexts.messages(refused).contains("declare the type"));
    nothingIsHeld();
  }

  @Test
  void theLockIsInsideOfRetriesAndOtherThreadsAndAroundTransactions() {
    int order = context.getBean(WithLockInterceptor.class).getOrder();
    assertTrue(order > InterceptPhase.RETRY.getPosition());
    assertTrue(order > InterceptPhase.ASYNC.getPosition());
    assertTrue(order < InterceptPhase.TRANSACTION.getPosition());
  }
}
