package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How many locks one service keeps without a thread. */
class RetainedLocksTest implements BackendUnderTest {
  private static final int MOST = 10_000;
  private static final Duration TIME = Duration.ofSeconds(15);

  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private static void pair(DistributedLock lock) {
    lock.lock();
    lock.unlock();
  }

  private long held() {
    return store.keys().stream().filter(key -> key.startsWith("mortise:lock:")).count();
  }

  @Test
  @Rule("L15")
  void aServiceRetainsTenThousandLocksAtMostAndThenGivesEachBackAtOnce() {
    try (LockService locks = LockService.builder().backend(store.backend()).retain(TIME).open()) {
      for (int i = 0; i < MOST + 10; i++) {
        pair(locks.getLock("lock-" + i));
      }
      assertEquals(MOST, held());
      pair(locks.getLock("lock-0"));
      assertEquals(MOST, held(), "one that is taken again does not count twice");

      store.advance(TIME);
      Await.until("all are given back", () -> held() == 0);
      pair(locks.getLock("lock-0"));
      assertEquals(1, held());
    }
  }
}
