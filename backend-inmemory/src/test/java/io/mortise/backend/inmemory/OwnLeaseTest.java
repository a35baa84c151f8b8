package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log line about a thread that waits for a lock of which it has a lease itself. */
class OwnLeaseTest implements BackendUnderTest {
  private static final Duration SHORT = Duration.ofSeconds(8);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final LogCapture log = LogCapture.start();
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockService service = LockService.of(store.backend());
  private final DistributedLock lock = service.getLock("own");

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    log.close();
    service.close();
  }

  private interface Taking {
    Lease take() throws InterruptedException;
  }

  private interface Waiting {
    void run() throws InterruptedException;
  }

  /** A thread acquires a lease and waits. It goes on when another thread closes the lease. */
  private String saidOf(Taking first, Waiting then) throws InterruptedException {
    log.clear();
    CompletableFuture<Lease> taken = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                taken.complete(first.take());
                then.run();
              } catch (InterruptedException | RuntimeException e) {
                taken.completeExceptionally(e);
              }
            },
            "forgetful");
    thread.start();
    Lease lease = taken.join();
    store.awaitParked(1);
    store.advance(SHORT);
    assertEquals("", log.text(), "the wait was too short to log");
    store.advance(LONG);
    String text = log.text();
    lease.close();
    thread.join(10_000);
    assertEquals(Thread.State.TERMINATED, thread.getState());
    return text;
  }

  private void assertSaid(Taking first, Waiting then) throws InterruptedException {
    String text = saidOf(first, then);
    assertEquals(1, text.lines().count(), text);
    assertTrue(text.contains("'own'") && text.contains("forgetful"), text);
  }

  @Test
  @Rule("L10")
  void aThreadThatWaitsForItsOwnLeaseIsNamedOnce() throws InterruptedException {
    assertSaid(lock::acquire, () -> pair(lock));
    assertSaid(lock::acquire, () -> lock.acquire().close());
    assertSaid(lock::acquire, () -> pair(service.getFairLock("own")));
    assertSaid(() -> lock.async().acquire().join(), () -> pair(lock));
    MultiLock both = MultiLock.of(lock, service.getLock("own-too"));
    assertSaid(both::acquire, both::lock);
  }

  @Test
  @Rule("L10")
  void soIsOneThatReadsAndWaitsToWrite() throws InterruptedException {
    DistributedReadWriteLock sides = service.getReadWriteLock("own");
    assertSaid(sides.readLock()::acquire, () -> pair(sides.writeLock()));
  }

  @Test
  @Rule("L10")
  void nothingIsSaidOfOtherLocksAndOfPermits() throws InterruptedException {
    DistributedSemaphore permits = service.getSemaphore("own");
    assertTrue(permits.trySetPermits(1));
    assertEquals("", saidOf(permits::acquire, () -> permits.acquire().close()));
    Lease other = service.getLock("other").acquire();
    Thread waiting = new Thread(() -> pair(lock), "waiting");
    Lease lease = lock.acquire();
    waiting.start();
    store.awaitParked(1);
    store.advance(LONG);
    assertEquals("", log.text());
    lease.close();
    other.close();
    waiting.join(10_000);
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }
}
