package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What stays in the memory of a service of losses of which a thread is not told by an unlock. */
@Tag("all")
class ForgottenLossTest implements BackendUnderTest {
  private static final int LOSSES = 100_000;
  private static final long FLAT = 4_000_000;

  /** The marks that come and go between two looks at all of them. */
  private static final long BOUNDED = 15_000_000;

  private static final int NEVER_UNLOCKED = 50_000;

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final LockService service =
      LockService.builder().backend(store.backend()).executor(Runnable::run).open();

  private final PrintStream before = System.err;

  /** Each loss is logged. */
  @BeforeEach
  void saysNothing() {
    System.setErr(new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void saysAllAgain() {
    System.setErr(before);
  }

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private void lose(String name) {
    for (String each : List.of(name, name + "-2", name + "-3")) {
      service.getLock(each).forceUnlock();
    }
    service.getReadWriteLock(name).readLock().forceUnlock();
    service.getReadWriteLock(name).writeLock().forceUnlock();
  }

  /** The store forgets the ids that were forced out. */
  private void forgetInStore(int i) {
    if (i % 1000 == 0) {
      store.advance(Duration.ofMinutes(20));
    }
  }

  private static void unlockIfHeld(LeasedLock lock) {
    if (lock.isHeldByCurrentThread()) {
      lock.unlock();
    }
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Test
  @Rule({"L9", "L15"})
  void aHundredThousandLossesOfAThreadThatAsksLeaveNothing() {
    LeasedLock good = service.getLock("good");
    long before = 0;
    for (int i = 0; i < LOSSES; i++) {
      forgetInStore(i);
      if (i == 1000) {
        before = used();
      }
      LeasedLock lock = service.getLock(i % 2 == 0 ? "one" : "order:" + i);
      lock.lock(10, TimeUnit.SECONDS);
      service.getLock(lock.name()).forceUnlock();
      unlockIfHeld(lock);
      good.lock();
      unlockIfHeld(good);
      assertEquals(LeaseState.RELEASED, good.leaseState());
    }
    forgetInStore(0);
    long grown = used() - before;
    assertTrue(grown < FLAT, () -> grown / LOSSES + " bytes for each loss");
    service.close();
  }

  /** Code that takes a lock for a time, and leaves it to its lease. */
  @Test
  @Rule("L15")
  void aThreadThatNeverUnlocksLeavesBoundedMemory() {
    long before = 0;
    for (int i = 0; i < NEVER_UNLOCKED; i++) {
      forgetInStore(i);
      if (i == 21_000) {
        before = used();
      }
      LeasedLock lock = service.getLock(i % 2 == 0 ? "one" : "order:" + i);
      lock.lock(10, TimeUnit.SECONDS);
      service.getLock(lock.name()).forceUnlock();
    }
    forgetInStore(0);
    long grown = used() - before;
    assertTrue(grown < BOUNDED, () -> grown / NEVER_UNLOCKED + " bytes for each loss");
    service.close();
  }

  @ParameterizedTest
  @EnumSource(AnyLock.class)
  @Rule({"L9", "L15"})
  void noKindRemembersWhatAThreadHasAsked(AnyLock kind) {
    for (int i = 0; i < 200; i++) {
      String name = i % 2 == 0 ? "one" : "order:" + i;
      LeasedLock lock = kind.of(service, name);
      lock.lock(10, TimeUnit.SECONDS);
      lose(name);
      unlockIfHeld(lock);
      lock.lock(10, TimeUnit.SECONDS);
      lock.unlock();
      assertEquals(LeaseState.RELEASED, lock.leaseState());
    }
    service.close();
  }
}
