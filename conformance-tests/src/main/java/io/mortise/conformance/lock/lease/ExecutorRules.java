package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Executors of the application that fail, and those that run callbacks in place. */
@Rule("L20")
public abstract class ExecutorRules extends LockRules {
  private static final Duration MOMENT = Duration.ofMillis(50);

  protected ExecutorRules(LockKit kit) {
    super(kit);
  }

  /** What an executor does with a task instead of running it later. */
  enum Failing implements Executor {
    REJECTS {
      @Override
      public void execute(Runnable task) {
        throw new RejectedExecutionException("full");
      }
    },
    NOT_STARTED {
      @Override
      public void execute(Runnable task) {
        throw new IllegalStateException("not initialized");
      }
    },
    WITHOUT_A_CLASS {
      @Override
      public void execute(Runnable task) {
        throw new NoClassDefFoundError("example/Task");
      }
    },
    RUNS_AND_THROWS {
      @Override
      public void execute(Runnable task) {
        task.run();
        throw new IllegalStateException("after the task");
      }
    }
  }

  /** What a listener heard. */
  private static final class Heard implements LockListener {
    final Queue<String> events = new ConcurrentLinkedQueue<>();

    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      events.add("acquired");
    }

    @Override
    public void released(LockHold hold) {
      events.add("released");
    }

    @Override
    public void lost(LockHold hold, LossCause cause, String reason) {
      events.add("lost");
    }

    @Override
    public void leaseChanged(LeaseChange change) {
      events.add("change");
    }
  }

  @ParameterizedTest
  @EnumSource(Failing.class)
  void everyFutureCompletesAndEveryListenerIsTold(Failing executor) {
    Heard heard = new Heard();
    LockService service =
        service(ofOneServer(), builder -> builder.executor(executor).listener(heard));
    for (AnyLock kind : AnyLock.values()) {
      LeasedLock lock = kind.of(service, name);
      Lease lease = Await.value(lock.async().acquire());
      Await.value(lock.async().tryAcquire()).ifPresent(Lease::close); // readers get one
      assertTrue(Await.value(lease.extendAsync(Duration.ofMinutes(1))), kind.name());
      Await.value(lease.releaseAsync());
      assertEquals(
          kind, Await.value(lock.async().withLease(l -> CompletableFuture.completedStage(kind))));
    }
    heard.events.clear();

    Lease lost = Await.value(service.getLock(name).async().acquire());
    CompletableFuture<LeaseChange> told = new CompletableFuture<>();
    Lease unused = lost.onLost(told::complete);
    assertTrue(Await.value(service.getLock(name).forceUnlockAsync()));

    assertEquals(name, Await.value(told).name());
    Await.until("the loss is told", () -> heard.events.contains("lost"));
    assertEquals(
        1, heard.events.stream().filter("lost"::equals).count(), "a callback runs once only");
    assertThrows(LeaseLostException.class, lost::close);
  }

  @ParameterizedTest
  @EnumSource(Failing.class)
  @Rule("L17")
  void closingGivesEverythingBack(Failing executor) {
    LockBackend backend = backend();
    Heard heard = new Heard();
    LockService service =
        LockService.builder().backend(backend).executor(executor).listener(heard).open();
    closeLater(service);
    Lease lease = Await.value(service.getLock(name).async().acquire());
    CompletableFuture<LeaseChange> told = new CompletableFuture<>();
    Lease unused = lease.onLost(told::complete);

    service.close();

    assertFalse(lock().isLocked(), "the lease was given back");
    assertEquals(name, Await.value(told).name());
    Await.until("the end is told", () -> heard.events.contains("lost"));
    service.close();
  }

  /** One service blocks its callbacks. The timer is the one that all services of the JVM share. */
  @ParameterizedTest
  @EnumSource(AnyLock.class)
  @Rule("L8")
  void aCallbackThatRunsInPlaceNeverRunsOnTheTimer(AnyLock kind) {
    LockService service = service(ofOneServer(), builder -> builder.executor(Runnable::run));
    boolean red = kind == AnyLock.RED; // a longer lease gives its members more time to answer
    LeasedLock lock = kind.of(service, name).withLease(Duration.ofMillis(red ? 3000 : 400));
    CompletableFuture<Boolean> ofThread = new CompletableFuture<>();
    lock.onLeaseLost(change -> ofThread.complete(TimeSource.isOnTimer()));
    lock.lock();
    CompletableFuture<Boolean> waited =
        lock.async().tryAcquire(MOMENT).handle((found, failure) -> TimeSource.isOnTimer());
    assertFalse(inTime("the wait ends", waited));
    assertFalse(inTime("the thread's hold is lost", ofThread));
    assertThrows(LeaseLostException.class, lock::unlock);

    CompletableFuture<Boolean> ofLease = new CompletableFuture<>();
    CompletableFuture<Lease> acquired = lock.async().acquire();
    Lease unused =
        inTime("a lease", acquired).onLost(change -> ofLease.complete(TimeSource.isOnTimer()));
    assertFalse(inTime("the lease is lost", ofLease));
  }

  /** How a request that waits gives up. */
  enum GivingUp {
    CANCELLED,
    INTERRUPTED,
    TIMED_OUT,
    FAILED // its service is closed
  }

  /** Completes the future when the queue is empty. */
  private LockListener looking(CompletableFuture<LockAttempt.Outcome> told) {
    return new LockListener() {
      @Override
      public void notAcquired(
          LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {
        awaitQueued(0);
        told.complete(outcome);
      }
    };
  }

  /** Or the store would grant the lock to nobody, for as long as the listener blocks. */
  @ParameterizedTest
  @EnumSource(GivingUp.class)
  @Rule({"L8", "L10"})
  void aRequestHasLeftTheQueueWhenItsListenerRunsInPlace(GivingUp how) {
    CompletableFuture<LockAttempt.Outcome> told = new CompletableFuture<>();
    LockService service = service(b -> b.executor(Runnable::run).listener(looking(told)));
    DistributedLock mine = service.getLock(name);
    lock().lock();
    switch (how) {
      case CANCELLED -> {
        CompletableFuture<Lease> waiting = mine.async().acquire();
        awaitQueued(1);
        assertTrue(waiting.cancel(false));
      }
      case INTERRUPTED -> {
        Contender waiting = contender(() -> mine.acquire().isValid());
        awaitQueued(1);
        waiting.interrupt();
      }
      case TIMED_OUT -> {
        CompletableFuture<Optional<Lease>> waiting = mine.async().tryAcquire(MOMENT);
        passTimeUntil("the wait ends", SECOND.multipliedBy(10), told::isDone);
        assertEquals(Optional.empty(), Await.value(waiting));
      }
      case FAILED -> {
        CompletableFuture<Lease> waiting = mine.async().acquire();
        awaitQueued(1);
        service.close();
        assertInstanceOf(LockServiceClosedException.class, Await.failure(waiting));
      }
    }
    assertEquals(how.name(), Await.value(told).name());
  }

  /** How a service loses several leases at once. */
  enum Losing {
    FORCED,
    CLOSED
  }

  @ParameterizedTest
  @EnumSource(Losing.class)
  @Rule("L9")
  void allAreLostWhenTheFirstListenerRunsInPlace(Losing how) {
    LockService service = service(builder -> builder.executor(Runnable::run));
    DistributedLock reading = service.getReadWriteLock(name).readLock();
    Lease one = Await.value(reading.async().acquire());
    Lease other = Await.value(reading.async().acquire());
    Thread caller = Thread.currentThread();
    Queue<Boolean> told = new ConcurrentLinkedQueue<>();
    for (Lease each : List.of(one, other)) {
      Lease unused =
          each.onLost(change ->
              // a message that came before, on another thread, is about one of them
              told.add(
                  Thread.currentThread().equals(caller) && (one.isValid() || other.isValid())));
    }

    if (how == Losing.CLOSED) {
      service.close();
    } else {
      assertTrue(reading.forceUnlock());
    }

    Await.until("both losses are told", () -> told.size() == 2);
    assertFalse(told.contains(true), "one was valid when the other's loss was told");
  }

  @Test
  @Rule("L9")
  void aThreadIsInterruptedWhenTheListenerOfItsLossRunsInPlace() throws InterruptedException {
    LockService service = service(builder -> builder.executor(Runnable::run).interruptOnLoss(true));
    DistributedLock mine = service.getLock(name);
    CompletableFuture<Void> inside = new CompletableFuture<>();
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    Thread holder =
        new Thread(() -> {
          mine.lock();
          inside.complete(null);
          while (!told.isDone()) {
            LockSupport.parkNanos(1_000_000); // leaves the interrupt flag set
          }
        });
    mine.onLeaseLost(change -> told.complete(holder.isInterrupted()));
    holder.start();
    Await.value(inside);

    assertTrue(lock().forceUnlock());

    assertTrue(Await.value(told), "the listener came first");
    holder.join();
  }

  private <T> T inTime(String what, CompletableFuture<T> future) {
    passTimeUntil(what, SECOND.multipliedBy(10), future::isDone);
    return Await.value(future);
  }

  @Test
  @Rule("L8")
  void theTimerRunsWhileACallbackBlocks() throws InterruptedException {
    LockService service = service(builder -> builder.executor(Runnable::run));
    CountDownLatch blocks = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    service
        .getLock(name)
        .onLeaseLost(change -> {
          blocks.countDown();
          awaitQuietly(goesOn);
        });
    service.getLock(name).lock(100, TimeUnit.MILLISECONDS);
    Thread passing = new Thread(() -> passTime(SECOND));
    passing.start();
    try {
      assertTrue(blocks.await(15, TimeUnit.SECONDS), "the listener is told");
      CompletableFuture<Void> ticks = new CompletableFuture<>();
      TimeSource.system().schedule(() -> ticks.complete(null), Duration.ZERO);
      Await.value(ticks);
    } finally {
      goesOn.countDown();
      passing.join();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(15, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
