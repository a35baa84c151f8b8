package io.mortise.shedlock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.support.Await;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * ShedLock's own contract for providers that can extend a lock, as it is published in {@code
 * shedlock-test-support}. All of its tests apply.
 *
 * <p>The contract for storage-based providers does not apply. It is about the record of a job in a
 * table that stays when the lock is free: that it is inserted once, that it can be deleted while
 * the process runs, and who locked it when. A free lock of Mortise leaves nothing in the store.
 */
abstract class ShedLockContract extends AbstractExtensibleLockProviderIntegrationTest {
  private LockService locks;
  private LockService others;

  abstract LockService open();

  @BeforeEach
  void openTwo() {
    locks = open();
    others = open();
  }

  @AfterEach
  void close() {
    others.close();
    locks.close();
  }

  @Override
  protected ExtensibleLockProvider getLockProvider() {
    return new MortiseLockProvider(locks);
  }

  @Override
  protected void assertLocked(String name) {
    assertTrue(others.getLock(name).isLocked(), name + " is locked");
  }

  /** A lock whose time is up is given back in the background, which takes a round trip. */
  @Override
  protected void assertUnlocked(String name) {
    Await.until(name + " is free", () -> !others.getLock(name).isLocked());
  }
}
