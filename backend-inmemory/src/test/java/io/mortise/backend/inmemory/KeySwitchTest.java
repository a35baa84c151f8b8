package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * How a fleet moves away from keys that it shares with Redisson, by one rolling release after
 * another.
 */
@Rule("RS1")
class KeySwitchTest implements BackendUnderTest {
  private final InMemoryStore store = InMemoryStore.create();
  private final List<LockService> services = new ArrayList<>();

  @Override
  public String backendName() {
    return "memory";
  }

  @AfterEach
  void close() {
    services.forEach(LockService::close);
  }

  private DistributedLock lock(boolean shared) {
    LockService service =
        LockService.builder().backend(store.backend()).redissonInterop(shared).open();
    services.add(service);
    return service.getLock("orders:42");
  }

  private LeasedLock both() {
    return MultiLock.of(lock(true), lock(false));
  }

  private static void excludeEachOther(LeasedLock one, LeasedLock other) {
    for (List<LeasedLock> pair : List.of(List.of(one, other), List.of(other, one))) {
      assertTrue(pair.get(0).tryLock());
      assertFalse(pair.get(1).tryLock());
      pair.get(0).unlock();
    }
  }

  @Test
  void releasesThatRunSideBySideExcludeEachOther() {
    excludeEachOther(lock(true), both());
    excludeEachOther(both(), both());
    excludeEachOther(both(), lock(false));
  }

  /** This is why the release in between is needed. */
  @Test
  void withAndWithoutTheOptionAreTwoLocks() {
    assertTrue(lock(true).tryLock());
    assertTrue(lock(false).tryLock());
  }
}
