package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The log lines about holds that last too long. */
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
}
