package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Threads of a backend that is opened while a web server starts its application. */
class ThreadsTest {
  @Test
  void aDaemonDoesNotHaveTheClassLoaderOfTheThreadThatStartsIt() throws Exception {
    Thread caller = Thread.currentThread();
    ClassLoader before = caller.getContextClassLoader();
    ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
    try (URLClassLoader application = new URLClassLoader(new URL[0])) {
      caller.setContextClassLoader(application);
      ClassLoader inDaemon =
          daemons.submit(() -> Thread.currentThread().getContextClassLoader()).get();
      assertSame(Threads.class.getClassLoader(), inDaemon);
    } finally {
      caller.setContextClassLoader(before);
      daemons.shutdownNow();
    }
  }

  @Test
  void aPoolThatEndsRunsWhatWasAskedForAndWaitsForIt() {
    ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
    List<String> ran = new CopyOnWriteArrayList<>();
    Future<?> later = daemons.schedule(() -> ran.add("later"), 1, TimeUnit.DAYS);
    daemons.execute(() -> {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      ran.add("first");
    });
    daemons.execute(() -> ran.add("second"));
    Thread.currentThread().interrupt();
    Threads.end(List.of(daemons));
    assertTrue(Thread.interrupted(), "the flag is kept");
    assertTrue(daemons.isTerminated() && later.isCancelled());
    daemons.execute(() -> ran.add(Thread.currentThread().getName()));
    assertEquals(List.of("first", "second", Thread.currentThread().getName()), ran);
  }

  /** A task that meets the end of the pool runs: on the pool's thread, or on the caller's. */
  @Test
  void aTaskThatComesWhileThePoolEndsRuns() throws InterruptedException {
    for (int round = 0; round < 20_000; round++) {
      ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
      CyclicBarrier together = new CyclicBarrier(2);
      CountDownLatch ran = new CountDownLatch(1);
      Thread ending =
          new Thread(() -> {
            meet(together);
            daemons.shutdown();
          });
      ending.start();
      meet(together);
      daemons.execute(ran::countDown);
      assertTrue(ran.await(10, TimeUnit.SECONDS), "round " + round);
      ending.join();
    }
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aThreadOfThePoolDoesNotWaitForItself() {
    ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
    CompletableFuture<Long> took = new CompletableFuture<>();
    daemons.execute(() -> {
      long start = System.nanoTime();
      Threads.end(List.of(daemons));
      Thread.interrupted();
      took.complete(System.nanoTime() - start);
    });
    assertTrue(took.join() < TimeUnit.MILLISECONDS.toNanos(900));
  }

  @Test
  void aTaskBehindOneThatHeedsNoInterruptRunsToo() throws InterruptedException {
    ScheduledThreadPoolExecutor daemons = Threads.daemons("daemon", 1);
    CountDownLatch released = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(1);
    daemons.execute(() -> awaitStubbornly(released));
    daemons.execute(ran::countDown);
    Threads.end(List.of(daemons));
    assertEquals(1, ran.getCount());
    released.countDown();
    assertTrue(ran.await(20, TimeUnit.SECONDS));
    assertTrue(daemons.awaitTermination(20, TimeUnit.SECONDS));
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      Thread.interrupted();
    }
  }
}
