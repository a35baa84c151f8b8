package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.Kind;
import io.mortise.spring.WithLock.OnLost;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** A method that is called on its thread: acquired, or not run. */
class WithLockTest {
  private final World world = new World();

  @AfterEach
  void close() {
    world.close();
  }

  static class Shop {
    final AtomicInteger runs = new AtomicInteger();
    volatile Runnable inside = () -> {};

    @Lazy @Autowired Shop self;

    @WithLock("stock")
    public String sell() {
      return run();
    }

    @WithLock(name = "stock", waitFor = "0")
    public String sellNow() {
      return run();
    }

    @WithLock(name = "stock", ifBusy = IfBusy.SKIP, waitFor = "0")
    public Optional<String> sellIfFree() {
      return Optional.of(run());
    }

    @ScheduledLock(name = "stock")
    public void report() {
      run();
    }

    @WithLock("orders:#{#id}")
    public String pay(Object id) {
      return run();
    }

    @WithLock("#{#p0}:#{#p1.length()}:${shop:north}")
    public String mixed(int number, String text) {
      run();
      return world(text);
    }

    private String world(String text) {
      return text;
    }

    @WithLock(name = "stock", kind = Kind.FENCED)
    public long token() {
      run();
      return LockContext.fencingToken();
    }

    @WithLock(name = "stock", kind = Kind.READ)
    public String read() {
      return run();
    }

    @WithLock(name = "stock", kind = Kind.WRITE, waitFor = "0")
    public String write() {
      return run();
    }

    @WithLock(name = "stock", lease = "20s")
    public String leased() {
      return run();
    }

    @ScheduledLock(name = "job", atLeast = "1m", maxHold = "30m")
    public void job() {
      runs.incrementAndGet();
      inside.run();
    }

    @WithLock("stock")
    public String outer() {
      inside.run();
      return self.sellNow();
    }

    @WithLock("stock")
    public String throwing() {
      inside.run();
      throw new IllegalArgumentException("of the method");
    }

    @WithLock(name = "stock", onLost = OnLost.INTERRUPT)
    public String sleeping() throws InterruptedException {
      inside.run();
      new CountDownLatch(1).await(60, TimeUnit.SECONDS);
      return "slept";
    }

    @WithLock("stock")
    public void patient() throws Exception {
      run();
    }

    @WithLock("stock")
    public <T> T generic(T value) {
      return value;
    }

    public void unlocked() {
      LockContext.ensureHeld();
    }

    private String run() {
      LockContext.ensureHeld();
      runs.incrementAndGet();
      inside.run();
      return "sold";
    }
  }

  private final Shop shop = world.start(Shop.class, Object.class);
  private final Shop target = World.target(shop, Shop.class);

  @Test
  void aMethodRunsUnderItsLockAndReleasesIt() {
    target.inside = () -> assertFalse(world.isFree("stock"));
    assertEquals("sold", shop.sell());
    assertTrue(world.isFree("stock"));
    assertEquals(1, target.runs.get());
  }

  @Test
  void aMethodWhoseLockIsBusyDoesNotRun() throws Throwable {
    world.whileHeldElsewhere(
        "stock",
        () -> {
          LockBusyException busy = assertThrows(LockBusyException.class, shop::sellNow);
          assertTrue(World.message(busy).contains("Shop.sellNow()"), World.message(busy));
          assertTrue(World.message(busy).contains("'stock'"), World.message(busy));
          assertEquals(Optional.empty(), shop.sellIfFree());
          shop.report();
        });
    assertEquals(0, target.runs.get());
    shop.report();
    assertEquals(Optional.of("sold"), shop.sellIfFree());
    assertEquals(2, target.runs.get());
  }

  @Test
  void aStoreThatIsDownIsAnExceptionAlsoWhereABusyLockIsSkipped() {
    world.down = true;
    assertThrows(BackendUnavailableException.class, shop::sellNow);
    assertThrows(BackendUnavailableException.class, shop::sellIfFree);
    assertThrows(BackendUnavailableException.class, shop::report);
    assertEquals(0, target.runs.get());
  }

  @Test
  void aNameComesFromArgumentsAndProperties() {
    target.inside = () -> assertFalse(world.isFree("orders:7"));
    assertEquals("sold", shop.pay(7));
    UUID id = UUID.randomUUID();
    target.inside = () -> assertFalse(world.isFree("orders:" + id));
    shop.pay(Optional.of(id));
    target.inside = () -> assertFalse(world.isFree("3:4:north"));
    assertEquals("four", shop.mixed(3, "four"));
    assertEquals(3, target.runs.get());
  }

  @Test
  void aNameWithoutTextOfItsOwnIsRefused() {
    for (Object id : new Object[] {null, " ", Optional.empty(), new Object(), new int[1]}) {
      var refused = assertThrows(IllegalArgumentException.class, () -> shop.pay(id));
      assertTrue(World.message(refused).contains("Shop.pay(Object)"), World.message(refused));
      assertTrue(World.message(refused).contains("#{#id}"), World.message(refused));
    }
    assertEquals(0, target.runs.get());
  }

  @Test
  void aListOrAMapAsOneNameIsRefusedBecauseItsElementsMayHaveNoText() {
    Object order = new Object();
    for (Object id :
        List.of(List.of(order), Set.of("x"), Map.of("x", order), Optional.of(List.of(order)))) {
      var refused = assertThrows(IllegalArgumentException.class, () -> shop.pay(id));
      assertTrue(World.message(refused).contains("into names"), World.message(refused));
    }
    assertEquals(0, target.runs.get());
  }

  @Test
  void aThreadThatHoldsTheLockMayCallAnotherMethodOfIt() {
    target.inside = () -> assertFalse(world.isFree("stock"));
    assertEquals("sold", shop.outer());
    assertTrue(world.isFree("stock"));
  }

  @Test
  void aLossReplacesTheResult() {
    target.inside = () -> world.force("stock");
    assertThrows(LeaseLostException.class, shop::sell);
  }

  @Test
  void aLossUnderTheCallersOwnHoldReplacesTheResult() {
    DistributedLock byHand = world.here.getLock("stock");
    byHand.lock();
    target.inside = () -> world.force("stock");
    assertThrows(LeaseLostException.class, shop::sell);
    assertThrows(LeaseLostException.class, byHand::unlock);
  }

  @Test
  void aCallPastTheProxyIsRefusedByTheContextAlsoUnderAnotherLock() {
    target.inside = () -> LockContext.ensureHeld("stock");
    assertEquals("sold", shop.sell());
    target.inside = () -> LockContext.ensureHeld("another");
    var refused = assertThrows(IllegalStateException.class, shop::sell);
    assertTrue(World.message(refused).contains("'another'"), World.message(refused));
  }

  /** The interface has the annotation, and a class that does not know it has the method. */
  public interface Restocking {
    @WithLock("restock")
    void restock();
  }

  static class Warehouse {
    final AtomicInteger underLock = new AtomicInteger();

    public void restock() {
      LockContext.ensureHeld("restock");
      underLock.incrementAndGet();
    }
  }

  static class LockedWarehouse extends Warehouse implements Restocking {}

  @Configuration
  @EnableTransactionManagement(proxyTargetClass = true)
  static class ProxiesOfClasses {}

  @Test
  void anInterfaceMayLockAMethodThatASuperclassImplements() {
    LockedWarehouse warehouse = world.start(LockedWarehouse.class, ProxiesOfClasses.class);
    warehouse.restock();
    assertEquals(1, World.target(warehouse, LockedWarehouse.class).underLock.get());
  }

  @Test
  void aLossIsSuppressedInTheMethodsOwnException() {
    target.inside = () -> world.force("stock");
    var thrown = assertThrows(IllegalArgumentException.class, shop::throwing);
    assertEquals(1, thrown.getSuppressed().length);
    assertInstanceOf(LeaseLostException.class, thrown.getSuppressed()[0]);
  }

  @Test
  void aLossIsNotForgottenWhenTheThreadLocksAgain() {
    target.inside =
        () -> {
          target.inside = () -> {};
          world.force("stock");
          Await.until(
              "the loss is seen", () -> !world.here.getLock("stock").isHeldByCurrentThread());
        };
    assertThrows(LeaseLostException.class, shop::outer);
    assertEquals(0, target.runs.get());
    assertTrue(world.isFree("stock"));
  }

  @Test
  void aLossInterruptsTheRunningThreadAndNothingLater() {
    target.inside = () -> world.force("stock");
    var thrown = assertThrows(InterruptedException.class, shop::sleeping);
    assertInstanceOf(LeaseLostException.class, thrown.getSuppressed()[0]);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void aFencedMethodHasAToken() {
    long first = shop.token();
    assertTrue(shop.token() > first);
  }

  @Test
  void thereIsNoTokenWithoutAFencedLock() {
    target.inside = () -> assertThrows(IllegalStateException.class, LockContext::fencingToken);
    shop.sell();
  }

  @Test
  void readersShareAndAWriterDoesNot() throws Exception {
    target.inside =
        () -> {
          target.inside = () -> {};
          assertEquals("sold", CompletableFuture.supplyAsync(shop::read).join());
          var busy = CompletableFuture.supplyAsync(shop::write).exceptionally(Throwable::toString);
          assertTrue(busy.join().contains("LockBusyException"));
        };
    assertEquals("sold", shop.read());
    assertEquals("sold", shop.write());
  }

  @Test
  void aFixedLeaseIsNotRenewed() {
    target.inside =
        () -> {
          world.store.advance(java.time.Duration.ofSeconds(21));
          assertTrue(world.isFree("stock"));
        };
    assertThrows(LeaseLostException.class, shop::leased);
  }

  @Test
  void aShortJobKeepsItsLockForTheTimeItAsksFor() {
    shop.job();
    assertFalse(world.isFree("job"));
    shop.job();
    assertEquals(1, target.runs.get());
    world.store.advance(java.time.Duration.ofSeconds(61));
    assertTrue(world.isFree("job"));
    shop.job();
    assertEquals(2, target.runs.get());
  }

  @Test
  void aJobThatTakesTooLongLosesItsLock() {
    target.inside = () -> world.store.advance(java.time.Duration.ofMinutes(31));
    assertThrows(LeaseLostException.class, shop::job);
  }

  @Test
  void anInterruptedThreadDoesNotRunTheMethod() {
    Thread.currentThread().interrupt();
    assertThrows(LockInterruptedException.class, shop::sell);
    assertTrue(Thread.interrupted());
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, shop::patient);
    assertFalse(Thread.interrupted());
    assertEquals(0, target.runs.get());
  }

  @Test
  void anInterruptOfTheMethodItselfIsNotToldAsOneOfTheWait() {
    target.inside = () -> sneak(new InterruptedException("of the method"));
    var thrown = assertThrows(UndeclaredThrowableException.class, shop::sell);
    assertEquals("of the method", World.message(Objects.requireNonNull(thrown.getCause())));
    assertEquals(1, target.runs.get());
    assertTrue(world.isFree("stock"));
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> void sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @Test
  void codeOutsideOfALockIsRefusedByTheContext() {
    var refused = assertThrows(IllegalStateException.class, shop::unlocked);
    assertTrue(World.message(refused).contains("proxy"), World.message(refused));
    assertThrows(IllegalStateException.class, target::sell);
  }

  @Test
  void aResultWhoseWorkGoesOnIsRefused() {
    assertSame("x", shop.generic("x"));
    assertThrows(IllegalStateException.class, () -> shop.generic(new CompletableFuture<String>()));
  }

  @Test
  void aTemplateFollowsTheSameRules() throws Throwable {
    LockTemplate template = new LockTemplate(world.here);
    assertEquals("done", template.execute("stock", () -> "done"));
    assertThrows(
        LeaseLostException.class,
        () ->
            template.execute(
                "stock",
                () -> {
                  LockContext.ensureHeld();
                  world.force("stock");
                  return "done";
                }));
    world.whileHeldElsewhere(
        "stock",
        () ->
            assertEquals(
                Optional.empty(),
                template.tryExecute("stock", java.time.Duration.ZERO, () -> "done")));
    world.down = true;
    assertThrows(
        BackendUnavailableException.class,
        () -> template.tryExecute("stock", java.time.Duration.ZERO, () -> "done"));
  }
}
