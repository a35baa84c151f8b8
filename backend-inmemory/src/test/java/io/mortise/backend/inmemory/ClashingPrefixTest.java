package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.LogCapture;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log line about two services of one JVM whose key prefixes clash. */
@Rule("L18")
class ClashingPrefixTest implements BackendUnderTest {
  private final LogCapture log = LogCapture.start();
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final Deque<LockService> open = new ArrayDeque<>();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    log.close();
    open.forEach(LockService::close);
  }

  private LockService opened(InMemoryStore at, String prefix) {
    LockService service = LockService.builder().keyPrefix(prefix).backend(at.backend()).open();
    open.add(service);
    return service;
  }

  /** What is said when a service opens beside those that are open. */
  private List<String> saidAt(InMemoryStore at, String prefix) {
    log.clear();
    LockService unused = opened(at, prefix);
    return log.lines("WARN");
  }

  @Test
  void itNamesBothPrefixesInEitherOrder() {
    LockService shorter = opened(store, "app:");
    List<String> lines = saidAt(store, "app:lock:");
    assertEquals(1, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("'app:lock:'"), lines::toString);
    assertTrue(lines.get(0).contains("'app:'"), lines::toString);
    assertTrue(lines.get(0).contains(store.backend().info().endpoint()), lines::toString);
    assertTrue(lines.get(0).contains("docs/configuration.md#keys"), lines::toString);

    shorter.close();
    assertEquals(1, saidAt(store, "app:").size(), "the longer one is open");
  }

  @Test
  void eachOtherPrefixIsNamedOnce() {
    for (String prefix : List.of("app:a:", "app:a:", "app:b:", "other:")) {
      LockService unused = opened(store, prefix);
    }
    assertEquals(2, saidAt(store, "app:").size());
  }

  @Test
  void nothingIsSaidOfPrefixesThatDoNotClash() {
    LockService unused = opened(store, "app:one:");
    for (String prefix : List.of("app:one:", "app:two:", "one:", "mortise:")) {
      assertEquals(List.of(), saidAt(store, prefix));
    }
    assertEquals(List.of(), saidAt(InMemoryStore.withMovableTime(), "app:"), "another store");
  }

  @Test
  void aServiceThatIsClosedClashesWithNone() {
    opened(store, "app:one:").close();
    assertEquals(List.of(), saidAt(store, "app:"));
  }
}
