package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.BackendException;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A store whose time a test moves, a measured service on it, and another service beside it. */
final class Scene implements AutoCloseable {
  final InMemoryStore store = InMemoryStore.withMovableTime();
  final LockService measured;
  final LockService other = LockService.of(store.backend());
  volatile boolean renewalsFail;

  Scene(MortiseMetrics metrics) {
    measured = metrics.open(builder());
  }

  LockService.Builder builder() {
    return LockService.builder()
        .backend(new FailingRenewals(store.backend()))
        .executor(Runnable::run);
  }

  /** A thread that holds the lock until the returned hold is ended. */
  static Held heldByThread(DistributedLock lock) {
    return new Held(lock);
  }

  /** A thread that waits as the action does. */
  Thread waiting(Runnable action) {
    Thread thread = new Thread(action, "waiter");
    thread.start();
    await(() -> measured.waits().stream().anyMatch(wait -> wait.threadName().isPresent()));
    store.awaitParked(1);
    return thread;
  }

  static void join(Thread thread) {
    try {
      thread.join(30_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertTrue(!thread.isAlive(), "the thread did not end");
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < deadline, "not so after 30 s");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Override
  public void close() {
    measured.close();
    other.close();
  }

  /** A hold of another thread of the same service. */
  static final class Held {
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread;

    private Held(DistributedLock lock) {
      CountDownLatch begun = new CountDownLatch(1);
      thread = new Thread(() -> hold(lock, begun), "holder");
      thread.start();
      awaitLatch(begun);
    }

    private void hold(DistributedLock lock, CountDownLatch begun) {
      lock.lock();
      try {
        begun.countDown();
        awaitLatch(end);
      } finally {
        lock.unlock();
      }
    }

    private static void awaitLatch(CountDownLatch latch) {
      try {
        assertTrue(latch.await(10, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void end() {
      end.countDown();
      join(thread);
    }
  }

  private final class FailingRenewals extends ForwardingBackend {
    private final LockBackend target;

    FailingRenewals(LockBackend target) {
      this.target = target;
    }

    @Override
    protected LockBackend target() {
      return target;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      return renewalsFail && call.script().name().equals("renew")
          ? CompletableFuture.failedFuture(
              new BackendException(BackendException.Outcome.UNKNOWN, "cut off", null))
          : target.executeAsync(call);
    }
  }

  void advance(Duration by) {
    store.advance(by);
  }
}
