package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log line about a lease that was granted to a future which nobody has any more. */
class DroppedLeaseTest implements BackendUnderTest {
  private final LogCapture log = LogCapture.start();
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockService service = LockService.of(store.backend());
  private final DistributedLock lock = service.getLock("dropped");

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    log.close();
    service.close();
  }

  private List<String> lines() {
    return log.lines("is referred to by nobody").stream()
        .filter(line -> line.contains("renewal stops"))
        .toList();
  }

  /** Lets a caller give up, lets its request be granted, and returns what was said of it. */
  private String said(Consumer<CompletableFuture<?>> gaveUp) {
    log.clear();
    lock.lock();
    gaveUp.accept(lock.async().acquire());
    lock.unlock();
    Await.until(
        "it is told",
        () -> {
          System.gc();
          store.advance(Duration.ofSeconds(10));
          return !lines().isEmpty();
        });
    store.advance(Duration.ofMinutes(1));
    assertTrue(lock.tryLock(), "it has ended");
    lock.unlock();
    assertEquals(1, lines().size(), "it is told once");
    return lines().get(0);
  }

  private static void waitALittle(CompletableFuture<?> future) {
    assertThrows(TimeoutException.class, () -> future.get(1, TimeUnit.MILLISECONDS));
  }

  @Test
  @Rule({"L15", "L24"})
  void aDroppedLeaseIsToldOnceWithItsNameAndTheThreadThatAskedForIt() {
    for (Consumer<CompletableFuture<?>> gaveUp :
        List.<Consumer<CompletableFuture<?>>>of(
            DroppedLeaseTest::waitALittle,
            future -> waitALittle(future.thenApply(lease -> lease).copy()),
            future -> future.thenApply(lease -> lease).cancel(false))) {
      String line = said(gaveUp);
      assertTrue(line.contains("lock 'dropped'"), line);
      assertTrue(line.contains("(thread " + Thread.currentThread().getName()), line);
    }
  }
}
