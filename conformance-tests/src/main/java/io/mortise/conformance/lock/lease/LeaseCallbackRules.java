package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where callbacks run, what they may do, and lease requests for the sides of a read/write lock. */
public abstract class LeaseCallbackRules extends LockRules {
  private static final Duration LEASE = Duration.ofHours(1);
  private static final int LINE = 300;

  protected LeaseCallbackRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L6", "L20"})
  void aCallbackMayBlockOnTheLease() {
    LockService service = service();
    MultiLock both = MultiLock.of(service.getLock(name), service().getLock(name + "-b"));
    CompletableFuture<Boolean> extended = new CompletableFuture<>();
    CompletableFuture<Void> closed =
        both.async()
            .acquire()
            .thenAccept(lease -> {
              extended.complete(lease.extend(LEASE));
              lease.close();
            });
    Await.value(closed);
    assertTrue(Await.value(extended));
    assertTrue(lock().tryLock());
  }

  @Test
  @Rule("L20")
  void listenersAreCalledOnTheExecutorAlone() {
    List<String> told = new CopyOnWriteArrayList<>();
    LockListener noting =
        new LockListener() {
          @Override
          public void acquired(LockAttempt attempt, LockHold hold) {
            told.add("acquired " + Thread.currentThread().getName());
          }

          @Override
          public void released(LockHold hold) {
            told.add("released " + Thread.currentThread().getName());
          }
        };
    DistributedLock lock =
        service(builder -> builder.listener(noting).executor(LeaseCallbackRules::run))
            .getLock(name);
    Await.value(Await.value(lock.async().acquire()).releaseAsync());
    Await.until("both callbacks ran", () -> told.size() == 2);
    assertEquals(List.of("acquired the-executor", "released the-executor"), told);
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "the-executor");
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @Rule({"L15", "L20"})
  void aLeaseThatItsListenerCancelsIsGivenBack() {
    FaultyBackend link = new FaultyBackend(this::backend);
    HeldCall taking = link.hold("acquire");
    AtomicReference<@Nullable CompletableFuture<Lease>> asked = new AtomicReference<>();
    LockListener cancelling =
        new LockListener() {
          @Override
          public void acquired(LockAttempt attempt, LockHold hold) {
            CompletableFuture<Lease> future = asked.get();
            assertTrue(future != null && future.cancel(false));
          }
        };
    LockService service =
        service(link, builder -> builder.listener(cancelling).executor(Runnable::run));
    CompletableFuture<Lease> future = service.getLock(name).async().acquire();
    asked.set(future);
    taking.pass();
    assertTrue(future.isCancelled());
    DistributedLock other = lock();
    Await.until("the lock is free again", other::tryLock);
  }

  @Test
  @Rule({"L9", "L20"})
  void aLossThatALookFindsIsReportedOnTheExecutor() throws InterruptedException {
    DistributedLock a = lock();
    Lease lease = MultiLock.of(a, service().getLock(name + "-b")).acquire();
    List<String> told = new CopyOnWriteArrayList<>();
    Lease unused = lease.onLost(event -> told.add(Thread.currentThread().getName()));
    assertTrue(a.forceUnlock());
    Await.until("the hold is lost", () -> !lease.isValid());
    Lease unusedToo = lease.onLost(event -> told.add(Thread.currentThread().getName()));
    Await.until("both callbacks ran", () -> told.size() == 2);
    assertFalse(told.contains(Thread.currentThread().getName()), told::toString);
  }

  // An executor that runs tasks in the calling thread

  @Test
  @Rule({"L15", "L20"})
  void callbacksThatRunInPlaceFollowOneAnotherHoweverLongTheQueue() throws InterruptedException {
    LockService service = service(builder -> builder.executor(Runnable::run));
    DistributedLock lock = service.getLock(name);
    DistributedSemaphore permits = service.getSemaphore(name);
    assertTrue(permits.trySetPermits(1));
    MultiLock both = MultiLock.of(lock, service.getLock(name + "-b"));
    assertCallbacksDoNotNest(lock.acquire(), lock.async());
    assertCallbacksDoNotNest(permits.acquire(), permits.async(1));
    assertCallbacksDoNotNest(both.acquire(), both.async());
  }

  private static void assertCallbacksDoNotNest(Lease first, AsyncLock line) {
    ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);
    AtomicInteger deepest = new AtomicInteger();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < LINE; i++) {
      all.add(
          line.acquire()
              .thenCompose(lease -> {
                depth.set(depth.get() + 1);
                deepest.accumulateAndGet(depth.get(), Math::max);
                CompletableFuture<Void> released = lease.releaseAsync();
                depth.set(depth.get() - 1);
                return released;
              }));
    }

    first.close();

    all.forEach(Await::value);
    assertEquals(1, deepest.get(), "callbacks that run within each other");
  }

  @Test
  @Rule({"L10", "L20"})
  void aCallbackThatARemoteUnlockBringsInPlaceComesAfterTheUnlock() {
    DistributedLock lock = service(builder -> builder.executor(Runnable::run)).getLock(name);
    Thread unlocking = Thread.currentThread();
    lock.lock(20, TimeUnit.SECONDS); // a hold with a fixed lease is not handed off
    CompletableFuture<Boolean> free =
        lock.async().acquire().thenCompose(lease -> closeAndTry(lease, lock, unlocking));
    awaitQueued(1);

    lock.unlock();

    assertTrue(Await.value(free), "the callback could not acquire a free lock");
  }

  @Test
  @Rule({"L10", "L20"})
  void aCallbackThatAnAttemptBringsInPlaceComesAfterTheAttempt() {
    DistributedLock lock = service(builder -> builder.executor(Runnable::run)).getFairLock(name);
    Thread trying = Thread.currentThread();
    lock().lock();
    CompletableFuture<Boolean> free =
        lock.async().acquire().thenCompose(lease -> closeAndTry(lease, lock, trying));
    awaitQueued(1);
    deleteKey();

    assertFalse(lock.tryLock(), "the attempt grants the lock to the request that waits");

    assertTrue(Await.value(free), "the callback could not acquire a free lock");
  }

  /**
   * Whether the lock can be acquired when the lease is closed. That is asked in place on the thread
   * that calls the service. A thread of a client, on which a grant's message may come, must not
   * block.
   */
  private static CompletableFuture<Boolean> closeAndTry(
      Lease lease, DistributedLock lock, Thread caller) {
    Supplier<Boolean> asks =
        () -> {
          lease.close();
          return lock.tryLock();
        };
    return Thread.currentThread().equals(caller)
        ? CompletableFuture.completedFuture(asks.get())
        : CompletableFuture.supplyAsync(asks, task -> new Thread(task, "asks").start());
  }

  // The two sides of a read/write lock

  @Test
  @Rule("L2")
  void aHolderOfOneSideIsRefusedALeaseOfTheOtherThatWouldWaitForIt() {
    DistributedReadWriteLock lock = service().getReadWriteLock(name);
    lock.readLock().lock();
    assertThrows(IllegalStateException.class, lock.writeLock()::acquire);
    lock.readLock().unlock();
    lock.writeLock().lock();
    assertThrows(IllegalStateException.class, () -> lock.readLock().tryAcquire(SECOND));
    lock.writeLock().unlock();
  }

  @Test
  @Rule({"L1", "L10"})
  void readersShareAndAWriterWaitsWithoutAThread() {
    DistributedReadWriteLock mine = service().getReadWriteLock(name);
    DistributedReadWriteLock theirs = service().getReadWriteLock(name);
    Lease one = Await.value(mine.readLock().async().acquire());
    Lease two = Await.value(theirs.readLock().async().acquire());
    CompletableFuture<Lease> writer = theirs.writeLock().async().acquire();
    passTime(Duration.ofMillis(50));
    one.close();
    assertFalse(writer.isDone());
    CompletableFuture<Lease> behind = mine.readLock().async().acquire();
    assertEquals(
        Optional.empty(), Await.value(mine.readLock().async().tryAcquire()), "a writer waits");

    two.close();

    Lease writing = Await.value(writer);
    assertFalse(behind.isDone());
    writing.close();
    Await.value(behind).close();
    assertTrue(Await.value(mine.writeLock().async().tryAcquire()).isPresent());
  }
}
