package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lock name that is no longer used costs nothing (L15). */
@Tag("ci")
class UnusedNamesTest implements BackendUnderTest {
  @Override
  public String backendName() {
    return "memory";
  }

  private static final int NAMES = 200_000;
  private static final long A_FEW_BYTES_EACH = 16L * NAMES;

  @Test
  @Rule("L15")
  void namesUsedOnceLeaveTheHeapWhereItWas() {
    InMemoryStore store = InMemoryStore.create();
    try (LockService service = LockService.of(store.backend())) {
      use(service, 10_000);
      long before = usedHeap();

      use(service, NAMES);

      long grown = usedHeap() - before;
      System.out.printf("heap after %d names: %+d kB%n", NAMES, grown / 1024);
      assertTrue(grown < A_FEW_BYTES_EACH, "the heap grew by " + grown + " bytes");
      assertEquals(Set.of(), store.keys());
    }
  }

  private static void use(LockService service, int names) {
    for (int i = 0; i < names; i++) {
      DistributedLock lock = service.getLock("name-" + i);
      lock.lock();
      lock.unlock();
    }
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
