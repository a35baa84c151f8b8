package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log says of an executor that fails. */
class FailingExecutorTest implements BackendUnderTest {
  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @Test
  @Rule({"L18", "L20"})
  void anExecutorThatFailsIsLoggedOnceAtError() {
    try (LogCapture log = LogCapture.start();
        LockService service =
            LockService.builder()
                .backend(InMemoryStore.withMovableTime().backend())
                .executor(task -> {
                  throw new IllegalStateException("ThreadPoolTaskExecutor not initialized");
                })
                .open()) {
      for (int i = 0; i < 3; i++) {
        Await.value(service.getLock("x").async().acquire().thenCompose(Lease::releaseAsync));
      }
      List<String> lines = log.lines("the executor of the service failed");
      assertEquals(1, lines.size(), log::text);
      assertTrue(lines.get(0).contains("ERROR"), lines.get(0));
      assertTrue(log.text().contains("not initialized"), "the exception is logged too");
    }
  }
}
