package io.mortise.it;

import static io.mortise.it.TwoShops.OTHER;
import static io.mortise.it.TwoShops.REDIS;
import static io.mortise.it.TwoShops.lock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import org.junit.jupiter.api.Test;

/**
 * The lock registry of Spring Integration in the application: its locks are those of the starter's
 * lock service. Not on Spring Boot 3.5.
 */
class LockRegistryTest {
  @Test
  void aTaskRunsUnderItsLockInRedis() throws Exception {
    String keys = OTHER.get("/stock");
    assertTrue(keys.matches("\\[.*:\\{stock}.*]"), keys);
    assertTrue(REDIS.keys().stream().noneMatch(keys::contains), () -> keys + " after its end");
  }

  @Test
  void aTaskWhoseLockAnotherProcessHoldsDoesNotRun() throws Exception {
    try (Lease held = lock("stock").acquire()) {
      assertEquals("busy", OTHER.get("/stock"));
    }
  }
}
