package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A backend, or what wraps it, throws an exception that it must not throw. That costs what it met,
 * and keeps nothing from others.
 */
@Rule("L10")
class ThrowingWrapperTest implements BackendUnderTest {
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final FaultyBackend backend = new FaultyBackend(store.backend());
  private final LockService service = LockService.of(backend);
  private final LockService other = LockService.of(store.backend());
  private final DistributedLock lock = service.getLock("x");

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    service.close();
    other.close();
  }

  private void throwsAt(String step) {
    backend.before(
        step,
        () -> {
          throw new IllegalStateException("on purpose, at " + step);
        });
  }

  private void assertFree() {
    assertTrue(other.getLock("x").tryLock());
    other.getLock("x").unlock();
  }

  @Test
  void aLockThatIsUnlockedGoesBack() {
    lock.lock();
    throwsAt("leave");
    assertThrows(IllegalStateException.class, lock::unlock);
    assertFree();
  }

  @Test
  void aLeaseThatIsClosedGoesBack() throws InterruptedException {
    Lease lease = lock.acquire();
    throwsAt("leave");
    assertThrows(IllegalStateException.class, lease::close);
    assertFree();
  }

  @Test
  void permitsThatAreGivenBackGoBack() throws InterruptedException {
    DistributedSemaphore semaphore = service.getSemaphore("s");
    assertTrue(semaphore.trySetPermits(2));
    Lease lease = semaphore.acquire(2);
    throwsAt("sem-return");
    assertThrows(IllegalStateException.class, () -> lease.release(1));

    other.getSemaphore("s").tryAcquire().orElseThrow().close();
    lease.close();
  }

  @Test
  void aThreadThatDidNotGetTheLockHasNoPlace() {
    throwsAt("after acquire");
    assertThrows(IllegalStateException.class, lock::lock);
    assertFalse(lock.isHeldByCurrentThread());
    assertFree();
  }

  @Test
  @Rule({"C2", "C4"})
  void aWaiterThatDoesNotKnowWhetherItJoinedTakesNoSignal() {
    Condition condition = lock.newCondition("c");
    lock.lock();
    throwsAt("after condition");
    assertThrows(IllegalStateException.class, () -> condition.await(1, TimeUnit.DAYS));
    lock.unlock();
    CompletableFuture<Boolean> second =
        CompletableFuture.supplyAsync(
            () -> {
              lock.lock();
              try {
                return condition.await(1, TimeUnit.DAYS);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              } finally {
                lock.unlock();
              }
            },
            task -> new Thread(task).start());
    store.awaitParked(1);

    lock.lock();
    condition.signal();
    lock.unlock();

    assertTrue(Await.value(second));
  }
}
