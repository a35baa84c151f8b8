package io.mortise.shedlock;

import io.mortise.LockService;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import net.javacrumbs.shedlock.test.support.FuzzTester;
import org.junit.jupiter.api.Test;

class ShedLockContractInMemoryTest extends ShedLockContract {
  private final String uri = "memory:" + UUID.randomUUID();

  @Override
  LockService open() {
    return LockService.open(uri);
  }

  /** Its eight threads never wait, and keep both cores from the holder. So it has fewer rounds. */
  @Test
  @Override
  public void fuzzTestShouldPass() throws ExecutionException, InterruptedException {
    new FuzzTester(getLockProvider(), Duration.ofMillis(1), Duration.ofMinutes(5), 20).doFuzzTest();
  }
}
