package io.mortise.it;

import static io.mortise.it.TwoShops.HERE;
import static io.mortise.it.TwoShops.OTHER;
import static io.mortise.it.TwoShops.lock;
import static io.mortise.it.TwoShops.meter;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.conformance.support.Await;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The meters of the application, over HTTP. */
class MetersTest {
  @Test
  void theMetersAreInTheApplicationsRegistry() throws Exception {
    try (Lease held = lock("metered:42").acquire()) {
      assertTrue(meter("mortise.lock.held?tag=kind:plain") >= 1);
      assertFalse(lock("metered:42").tryLock());
    }
    Await.until(
        "the events have been told",
        () -> 1 == meter("mortise.lock.hold?tag=group:metered&tag=end:released&tag=kind:plain"));
    assertEquals(1, meter("mortise.lock.wait?tag=group:metered&tag=outcome:acquired"));
    assertEquals(1, meter("mortise.lock.wait?tag=group:metered&tag=outcome:busy&tag=via:none"));
    assertTrue(meter("mortise.command?tag=script:acquire&tag=outcome:ok") >= 1);
    assertEquals(0, meter("mortise.lease.suspect"));
    assertFalse(HERE.get("/actuator/metrics/mortise.lock.wait").contains("metered:42"));
  }

  /** A composite that has meters before its first registry warns once in a JVM. */
  @Test
  void theStartOfTheApplicationLogsNoWarning() {
    OTHER.awaitReady();
    assertEquals(List.of(), OTHER.warnings());
  }

  @Test
  void aLongWaitIsAnObservationIfAsked() throws Exception {
    try (Lease held = lock("orders:78").acquire()) {
      assertEquals("busy", HERE.get("/pay-if-free?id=78"));
      assertEquals("busy", OTHER.get("/pay-if-free?id=78"));
    }
    String observed = "mortise.lock?tag=mortise.lock.group:orders";
    Await.until(
        "the wait is observed",
        () -> 0 < meter(observed + "&tag=mortise.lock.outcome:timed-out"));
    assertEquals(404, OTHER.response("/actuator/metrics/mortise.lock").statusCode());
  }
}
