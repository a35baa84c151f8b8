package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An Error in the middle of a step costs what it met, and no other thread its turn. */
class EngineErrorTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Executor THREADS = task -> new Thread(task).start();

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final FaultyBackend backend = new FaultyBackend(store.backend());
  private final LockService service =
      LockService.builder().backend(backend).leaseTime(LEASE).open();
  private final LockService other = LockService.of(store.backend());

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    service.close();
    other.close();
  }

  private static CompletableFuture<Void> inThread(Runnable task) {
    return CompletableFuture.runAsync(task, THREADS);
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  private void othersGet(DistributedLock lock) {
    Await.value(inThread(() -> pair(lock)));
    assertTrue(other.getLock(lock.name()).tryLock());
    other.getLock(lock.name()).unlock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"fixed", "fenced", "fair"})
  @Rule({"L10", "L15"})
  void aRetainedHoldGoesBackThoughItsFirstCommandThrows(String kind) {
    try (LockService retaining =
        LockService.builder().backend(backend).retain(Duration.ofSeconds(10)).open()) {
      DistributedLock plain = retaining.getLock("x");
      DistributedLock next =
          switch (kind) {
            case "fixed" -> plain.withLease(LEASE);
            case "fenced" -> retaining.getFencedLock("x");
            default -> retaining.getFairLock("x");
          };
      pair(plain);
      backend.failsAt("leave");

      pair(next);
      othersGet(next);
    }
  }

  @Test
  @Rule("L10")
  void aThreadThatLeavesWithAnErrorIsNoWaiter() {
    DistributedLock lock = service.getLock("x");
    lock.lock();
    backend.failsAt(FaultyBackend.PARK);
    assertThrows(CompletionException.class, inThread(lock::lock)::join);
    CompletableFuture<Void> next = inThread(() -> pair(lock));
    store.awaitParked(1);

    lock.unlock();

    Await.value(next);
    othersGet(lock);
  }

  @Test
  @Rule("L10")
  void aHoldIsNotHandedOffWithoutATimer() {
    DistributedLock lock = service.getLock("x");
    lock.lock();
    CompletableFuture<Void> next = inThread(() -> pair(lock));
    store.awaitParked(1);
    backend.failsAt(FaultyBackend.TIMER);

    lock.unlock();

    Await.value(next);
    othersGet(lock);
  }
}
