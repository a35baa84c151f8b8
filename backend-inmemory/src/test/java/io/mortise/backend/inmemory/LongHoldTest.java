package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Holds that last long: their log lines, and the limit of a service. */
class LongHoldTest implements BackendUnderTest {
  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @Test
  @Rule("L8")
  void aHoldOfTenLeasesIsSaidOnceAndGoesOn() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    try (LockService service = LockService.of(store.backend());
        LogCapture log = LogCapture.start()) {
      DistributedLock lock = service.getLock("long");
      lock.lock();
      store.advance(Duration.ofSeconds(299));
      assertEquals("", log.text());

      store.advance(Duration.ofMinutes(5));

      String text = log.text();
      assertEquals(1, text.lines().filter(line -> line.contains("lock 'long'")).count(), text);
      assertTrue(text.contains(Thread.currentThread().getName()), text);
      lock.ensureHeld();
      lock.unlock();
    }
  }

  /** The limit is of each thread's hold, not of all that hand it off to each other. */
  @Test
  @Rule("L28")
  void aHoldThatWasHandedOffLastsAboutAsLongAsTheServiceAllows() {
    InMemoryStore store = InMemoryStore.withMovableTime();
    Duration lease = Duration.ofMillis(300);
    Duration limit = Duration.ofSeconds(1);
    try (LockService service =
        LockService.builder().backend(store.backend()).leaseTime(lease).maxHold(limit).open()) {
      DistributedLock lock = service.getLock("x");
      CompletableFuture<Void> end = new CompletableFuture<>();
      lock.lock();
      Thread next =
          new Thread(() -> {
            lock.lock();
            end.join();
          });
      next.setDaemon(true);
      next.start();
      store.awaitParked(1);
      store.advance(limit.dividedBy(2));

      lock.unlock();
      Await.until("the next one has it", () -> lock.isHeldByThread(next.getId()));
      store.advance(limit.dividedBy(10).multipliedBy(8));

      assertTrue(lock.isHeldByThread(next.getId()));
      store.advance(limit.dividedBy(2));
      assertFalse(lock.isHeldByThread(next.getId()));
      end.complete(null);
    }
  }
}
