package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
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
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try (LockService service =
        LockService.builder()
            .backend(InMemoryStore.withMovableTime().backend())
            .executor(task -> {
              throw new IllegalStateException("ThreadPoolTaskExecutor not initialized");
            })
            .open()) {
      for (int i = 0; i < 3; i++) {
        Await.value(service.getLock("x").async().acquire().thenCompose(Lease::releaseAsync));
      }
    } finally {
      System.setErr(before);
    }
    String all = said.toString(StandardCharsets.UTF_8);
    List<String> lines =
        all.lines().filter(line -> line.contains("the executor of the service failed")).toList();
    assertEquals(1, lines.size(), all);
    assertTrue(lines.get(0).contains("ERROR"), lines.get(0));
    assertTrue(all.contains("not initialized"), "the exception is logged too");
  }
}
