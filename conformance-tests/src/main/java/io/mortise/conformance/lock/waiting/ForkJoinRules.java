package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Threads of a fork/join pool lock as any others. A wait there neither asks the pool for another
 * thread, which it may not have, nor runs another task inside the call.
 */
public abstract class ForkJoinRules extends LockRules {
  /** One thread, and never another: asking for one throws a RejectedExecutionException. */
  private final ForkJoinPool pool =
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

  protected ForkJoinRules(LockKit kit) {
    super(kit);
  }

  @AfterEach
  void endPool() {
    pool.shutdown();
  }

  private <T> T inPool(Callable<T> work) throws Exception {
    return pool.submit(work).get(60, TimeUnit.SECONDS);
  }

  @Test
  @Rule("L4")
  void aPoolThatMayAddNoThreadOpensAndCloses() throws Exception {
    assertTrue(
        inPool(() -> {
          try (LockBackend backend = backend();
              LockService service = LockService.builder().sharedBackend(backend).open()) {
            Lease unused = service.getLock(name).acquire(); // closing gives it back
            return true;
          }
        }));
    assertTrue(lock().tryLock());
  }

  @Test
  @Rule("L4")
  void aPoolThatMayAddNoThreadWaits() throws Exception {
    DistributedLock other = lock();
    LockService service = service();
    other.lock();
    ForkJoinTask<Boolean> waits = pool.submit(() -> lockAndUnlock(service.getLock(name)));
    awaitQueued(1);
    other.unlock();

    assertTrue(waits.get(60, TimeUnit.SECONDS));
  }

  @Test
  @Rule("L4")
  void aPoolThatMayAddNoThreadCallsAnything() throws Exception {
    LockService service = service();
    DistributedLock first = service.getLock(name);
    DistributedLock second = service.getLock(name + "-2");

    assertEquals(
        1,
        inPool(() -> {
          assertTrue(lockAndUnlock(first));
          assertTrue(lockAndUnlock(service.getFairLock(name + "-fair")));
          assertTrue(lockAndUnlock(service.getReadWriteLock(name + "-rw").readLock()));
          assertTrue(first.tryLock(10, TimeUnit.SECONDS));
          assertTrue(first.isLocked());
          assertTrue(first.forceUnlock());
          MultiLock both = MultiLock.of(first, second);
          assertTrue(both.tryLock());
          both.unlock();
          try (Lease lease = first.acquire()) {
            assertEquals(1, lease.permits());
          }
          try (Lease permit = service.getSemaphore(name + "-sem", 1).acquire()) {
            assertTrue(service.getSemaphore(name + "-sem", 1).tryAcquire().isEmpty());
            assertEquals(1, permit.permits());
          }
          DistributedCountDownLatch latch = service.getCountDownLatch(name + "-latch");
          assertTrue(latch.trySetCount(1));
          latch.countDown();
          latch.await();
          return pool.getPoolSize();
        }));
  }

  /**
   * A wait by CompletableFuture's own get would run them, as if the thread were theirs. Before JDK
   * 25 it does so only if the common pool has more than one thread.
   */
  @Test
  @Rule("L1")
  void noOtherTaskRunsInsideACall() throws Exception {
    DistributedLock lock = lock();
    assumeTrue(tasksInside(ForkJoinRules::get) > 0, "no wait runs other tasks in this JVM");

    assertEquals(0, tasksInside(lock::isLocked));
  }

  /** Waits in a way that runs other tasks. */
  private static boolean get() {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    Thread thread =
        new Thread(() -> {
          LockSupport.parkNanos(5_000_000);
          late.complete(false);
        });
    thread.start();
    return late.join();
  }

  /** How many other tasks of its pool run on a thread inside such a call. */
  private static int tasksInside(BooleanSupplier call) throws Exception {
    AtomicInteger nested = new AtomicInteger();
    List<CompletableFuture<Void>> others = new ArrayList<>();
    Runnable caller =
        () -> {
          Thread self = Thread.currentThread();
          AtomicBoolean calling = new AtomicBoolean(true);
          for (int i = 0; i < 50; i++) {
            others.add(
                CompletableFuture.runAsync(() -> {
                  if (calling.get() && self.equals(Thread.currentThread())) {
                    nested.incrementAndGet();
                  }
                }));
            assertFalse(call.getAsBoolean());
          }
          calling.set(false);
        };

    CompletableFuture.runAsync(caller, ForkJoinPool.commonPool()).get(60, TimeUnit.SECONDS);
    for (CompletableFuture<Void> other : others) {
      other.get(60, TimeUnit.SECONDS);
    }
    return nested.get();
  }

  private static boolean lockAndUnlock(DistributedLock lock) {
    lock.lock();
    lock.unlock();
    return true;
  }
}
