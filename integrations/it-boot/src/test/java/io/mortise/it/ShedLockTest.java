package io.mortise.it;

import static io.mortise.it.TwoShops.OTHER;
import static io.mortise.it.TwoShops.REDIS;
import static io.mortise.it.TwoShops.lock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import org.junit.jupiter.api.Test;

/** A job of ShedLock in the application: its lock is one of the starter's lock service. */
class ShedLockTest {
  @Test
  void aJobRunsUnderItsLockInRedis() throws Exception {
    String keys = OTHER.get("/sales");
    assertTrue(keys.matches("\\[.*:\\{sales}.*]"), keys);
    assertTrue(REDIS.keys().stream().noneMatch(keys::contains), () -> keys + " after its end");
  }

  @Test
  void aJobWhoseLockAnotherProcessHoldsIsSkipped() throws Exception {
    try (Lease held = lock("sales").acquire()) {
      assertEquals("skipped", OTHER.get("/sales"));
    }
  }
}
