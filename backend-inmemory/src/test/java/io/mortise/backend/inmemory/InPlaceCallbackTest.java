package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * This backend delivers messages on the thread that runs a script. So with an executor that runs in
 * place, callbacks run there too. They run after the thread's current task.
 */
class InPlaceCallbackTest implements BackendUnderTest {
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final CountDownLatch goesOn = new CountDownLatch(1);
  private volatile @Nullable Thread stopped;

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @Test
  @Rule({"L10", "L20"})
  void aCallbackThatComesWithAHoldGivenBackMayTakeTheSameLock() throws InterruptedException {
    LockService service =
        LockService.builder().backend(new Stopping(store.backend())).executor(Runnable::run).open();
    DistributedLock lock = service.getLock("x");
    lock.lock();
    CompletableFuture<Thread> taken =
        lock.async()
            .acquire()
            .thenApply(lease -> {
              lease.close();
              goesOn.countDown();
              lock.lock(); // queued after the first waiter
              lock.unlock();
              return Thread.currentThread();
            });
    Thread first =
        new Thread(() -> {
          lock.lock();
          lock.unlock();
        });
    first.start();
    store.awaitParked(1);
    Thread second = new Thread(() -> tryFor20Millis(lock));
    second.start();
    store.awaitParked(2);
    stopped = first;
    lock.unlock(); // handed off to the first, which is stopped

    store.advance(Duration.ofMillis(20)); // too late for a hand-off: the timer gives it back

    assertEquals(Thread.currentThread(), Await.value(taken)); // the one that moves the time
    first.join();
    second.join();
    service.close();
  }

  /** A listener takes the lock away as soon as the thread has it again. */
  @Test
  @Rule({"C1", "L9"})
  void aWaitThatEndsWithALostHoldTellsEachLevel() throws InterruptedException {
    AtomicInteger acquired = new AtomicInteger();
    LockListener forcing =
        new LockListener() {
          @Override
          public void acquired(LockAttempt attempt, LockHold hold) {
            if (acquired.incrementAndGet() == 2) {
              try (LockService other = LockService.of(store.backend())) {
                assertTrue(other.getLock("x").forceUnlock());
              }
            }
          }
        };
    try (LockService service =
        LockService.builder()
            .backend(store.backend())
            .executor(Runnable::run)
            .listener(forcing)
            .open()) {
      DistributedLock lock = service.getLock("x");
      lock.lock();
      lock.lock();
      assertFalse(lock.newCondition().await(0, TimeUnit.MILLISECONDS));

      assertThrows(LeaseLostException.class, lock::unlock);
      assertThrows(LeaseLostException.class, lock::unlock);
      Exception none = assertThrows(IllegalMonitorStateException.class, lock::unlock);
      assertEquals(IllegalMonitorStateException.class, none.getClass());
    }
  }

  /** The lease of its own excludes a hand-off to this thread. */
  private static void tryFor20Millis(DistributedLock lock) {
    LeasedLock fixed = lock.withLease(Duration.ofSeconds(1));
    try {
      if (fixed.tryLock(Duration.ofMillis(20))) {
        fixed.unlock();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Stops one thread when it is woken. */
  private final class Stopping extends ForwardingBackend {
    private final LockBackend backend;

    Stopping(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public TimeSource time() {
      TimeSource time = backend.time();
      return new ForwardingTime() {
        @Override
        protected TimeSource target() {
          return time;
        }

        @Override
        public void parkNanos(Object blocker, long nanos) {
          super.parkNanos(blocker, nanos);
          if (Thread.currentThread().equals(stopped)) {
            awaitLetGo();
          }
        }
      };
    }

    private void awaitLetGo() {
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
