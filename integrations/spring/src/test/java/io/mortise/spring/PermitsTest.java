package io.mortise.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.springframework.transaction.support.TransactionSynchronization.STATUS_UNKNOWN;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.annotations.internal.Target;
import io.mortise.conformance.support.Await;
import io.mortise.spring.WithLock.OnLost;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** A method with permits holds so many of a semaphore. */
class PermitsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The store keeps the number of an unused semaphore for seven days. */
  private static final Duration FORGOTTEN = Duration.ofDays(8);

  private final World world = new World();
  private final DistributedSemaphore printers = world.elsewhere.getSemaphore("printers");

  @AfterEach
  void close() {
    world.close();
  }

  static class Office {
    Runnable inside = () -> {};
    CompletableFuture<String> work = new CompletableFuture<>();

    @Lazy @Autowired Office self;

    @WithLock(name = "printers", permits = 2, totalPermits = 3, waitFor = "0")
    public void print() {
      inside.run();
    }

    @WithLock(name = "printers", permits = 2, totalPermits = 3, waitFor = "0")
    public CompletableFuture<String> printLater() {
      inside.run();
      return work;
    }

    @WithLock(name = "printers", permits = 2, totalPermits = 3, waitFor = "0")
    public Mono<String> printEach() {
      return Mono.fromSupplier(() -> {
        inside.run();
        return "printed";
      });
    }

    @WithLock(name = "printers", permits = 1, totalPermits = 3, waitFor = "forever")
    public void nested() {
      self.print();
    }

    @WithLock(name = "unset", permits = 1)
    public void unset() {
      inside.run();
    }

    @WithLock(name = "printers", permits = 2, totalPermits = 3, onLost = OnLost.INTERRUPT)
    public void interrupted() {
      inside.run();
    }

    @WithLock(name = "printers", permits = 2, totalPermits = 3, atLeast = "1m")
    public void slowly() {}

    @WithLock(name = "printers", permits = 2, totalPermits = 3, lease = "20s")
    public void shortly() {
      inside.run();
    }
  }

  private final Office office = world.start(Office.class, Object.class);
  private final Office target = World.target(office, Office.class);

  private void inside(Runnable check) {
    target.inside = check;
  }

  private void takesTwo() {
    LockContext.ensureHeld("printers");
    assertEquals(1, printers.availablePermits());
  }

  private void awaitAll() {
    Await.until("all permits are back", () -> printers.availablePermits() == 3);
  }

  @Test
  void theMethodHoldsItsPermits() {
    inside(this::takesTwo);
    office.print();
    assertEquals(3, printers.availablePermits());
    assertThrows(IllegalStateException.class, () -> LockContext.ensureHeld("printers"));
    assertTrue(world.isFree("printers"), "the lock of that name");
  }

  @Test
  void tooFewPermitsAreBusy() {
    office.print();
    Lease other = printers.tryAcquire(2).orElseThrow();
    var busy = assertThrows(LockBusyException.class, office::print);
    assertTrue(World.message(busy).contains("semaphore 'printers'"), World.message(busy));
    assertThrows(LockBusyException.class, office::printLater);
    assertThrows(LockBusyException.class, () -> office.printEach().block(PATIENCE));
    other.close();
    office.print();
  }

  /**
   * In each form of a method the first use sets the number, also after the store has forgotten it.
   */
  @Test
  void theNumberIsSetWhereTheStoreHasNone() {
    inside(this::takesTwo);
    assertEquals("printed", office.printEach().block(PATIENCE));
    assertEquals(3, printers.totalPermits());
    world.store.advance(FORGOTTEN);
    var stage = office.printLater();
    target.work.complete("printed");
    assertEquals("printed", Await.value(stage));
    world.store.advance(FORGOTTEN);
    office.print();
    printers.resize(5);
    inside(() -> assertEquals(3, printers.availablePermits()));
    office.print();
    assertEquals(5, printers.totalPermits());
  }

  @Test
  void anotherProcessMaySetTheNumberAtTheSameTime() throws Exception {
    DistributedSemaphore here = world.here.getSemaphore("printers");
    Object raced =
        Proxy.newProxyInstance(
            DistributedSemaphore.class.getClassLoader(),
            new Class<?>[] {DistributedSemaphore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("trySetPermits")) {
                assertTrue(printers.trySetPermits(3));
              }
              try {
                return method.invoke(here, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
    Target target = new PermitTarget((DistributedSemaphore) raced, new Permits(1, 3));
    Lease lease = target.acquire(Duration.ZERO).orElseThrow();
    assertEquals(2, printers.availablePermits());
    lease.close();
  }

  @Test
  void aSemaphoreThatNobodySetIsAnError() {
    inside(() -> {
      throw new AssertionError("it ran");
    });
    assertThrows(IllegalStateException.class, office::unset);
  }

  @Test
  void aNestedCallTakesAsManyOnceMore() {
    inside(() -> assertEquals(0, printers.availablePermits()));
    office.nested();
    assertEquals(3, printers.availablePermits());
    inside(() -> assertThrows(LockBusyException.class, office::print));
    office.print();
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void aStageHoldsThemUntilItCompletes() {
    inside(this::takesTwo);
    CompletableFuture<String> printed = office.printLater();
    assertEquals(1, printers.availablePermits());
    target.work.complete("printed");
    assertEquals("printed", Await.value(printed));
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void aPublisherHoldsThemWhileItIsSubscribedTo() {
    inside(() -> assertEquals(1, printers.availablePermits()));
    assertEquals("printed", office.printEach().block(PATIENCE));
    awaitAll();
  }

  @Test
  void aLossIsTold() {
    inside(() -> assertTrue(printers.forceRelease()));
    assertThrows(LeaseLostException.class, office::print);
    assertThrows(LeaseLostException.class, () -> office.printEach().block(PATIENCE));
    var stage = office.printLater();
    target.work.complete("printed");
    assertTrue(Await.failure(stage) instanceof LeaseLostException);
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void aLossInterruptsIfItShall() {
    inside(() -> {
      assertTrue(printers.forceRelease());
      Await.until("the interrupt", Thread::interrupted);
    });
    assertThrows(LeaseLostException.class, office::interrupted);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void theyComeBackAfterTheLeastTime() {
    office.slowly();
    assertEquals(1, printers.availablePermits());
    world.store.advance(Duration.ofMinutes(2));
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void aFixedLeaseIsNotRenewed() {
    inside(() -> world.store.advance(Duration.ofSeconds(21)));
    assertThrows(LeaseLostException.class, office::shortly);
  }

  // Transactions

  private static void begin() {
    TransactionSynchronizationManager.initSynchronization();
    TransactionSynchronizationManager.setActualTransactionActive(true);
  }

  private static void endOnAnotherThread() {
    var ending = TransactionSynchronizationManager.getSynchronizations();
    CompletableFuture.runAsync(() -> ending.forEach(each -> each.afterCompletion(STATUS_UNKNOWN)))
        .join();
  }

  @Test
  void theyAreHeldUntilTheCallersTransactionIsOver() {
    begin();
    try {
      office.print();
      takesTwo();
      TransactionSynchronizationManager.getSynchronizations()
          .forEach(each -> each.afterCompletion(STATUS_UNKNOWN));
      assertEquals(3, printers.availablePermits());
    } finally {
      TransactionSynchronizationManager.clear();
    }
    assertThrows(IllegalStateException.class, () -> LockContext.ensureHeld("printers"));
  }

  /** A lock could be released by its own thread only. */
  @Test
  void thoseOfATransactionThatAnotherThreadEndsComeBackAtOnce() {
    begin();
    try {
      office.print();
      takesTwo();
      endOnAnotherThread();
      assertEquals(3, printers.availablePermits());
    } finally {
      TransactionSynchronizationManager.clear();
    }
    assertThrows(IllegalStateException.class, () -> LockContext.ensureHeld("printers"));
    inside(this::takesTwo);
    office.print();
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void aMethodWhoseTransactionAnotherThreadEndsKeepsThemUntilItReturns() {
    begin();
    try {
      inside(() -> {
        endOnAnotherThread();
        takesTwo();
      });
      office.print();
      assertEquals(3, printers.availablePermits());
    } finally {
      TransactionSynchronizationManager.clear();
    }
  }
}
