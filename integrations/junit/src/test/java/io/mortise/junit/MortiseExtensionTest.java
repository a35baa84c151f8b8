package io.mortise.junit;

import static io.mortise.junit.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.junit.MortiseTest.Leaks;
import io.mortise.junit.MortiseTest.Time;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** What the extension does around a test. The classes inside run by the test kit alone. */
class MortiseExtensionTest {
  /** The services of a test inside, for a look at them after it. */
  private static final List<LockService> KEPT = new CopyOnWriteArrayList<>();

  private static EngineExecutionResults run(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(tests))
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
        .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
        .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
        .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
        .execute();
  }

  /** The error of each failed test, by the name of its method. */
  private static Map<String, Throwable> failures(Class<?> tests) {
    Map<String, Throwable> failures = new ConcurrentHashMap<>();
    for (Event event : run(tests).testEvents().failed().list()) {
      String test = event.getTestDescriptor().getDisplayName().replaceAll("\\(.*", "");
      failures.put(
          test, event.getRequiredPayload(TestExecutionResult.class).getThrowable().orElseThrow());
    }
    return failures;
  }

  private static void allPass(Class<?> tests, int count) {
    run(tests)
        .testEvents()
        .assertStatistics(seen -> seen.started(count).succeeded(count).failed(0));
  }

  @MortiseTest
  static class Leaking {
    @Test
    void aLock(LockService locks) {
      locks.getLock("orders:42").lock();
    }

    @Test
    void aLease(LockService locks) throws InterruptedException {
      Lease unused = locks.getLock("orders:43").acquire();
    }

    @Test
    void aReadLockAndPermits(LockService locks) throws InterruptedException {
      locks.getReadWriteLock("page").readLock().lock();
      locks.getSemaphore("printers").trySetPermits(1);
      Lease unused = locks.getSemaphore("printers").acquire();
    }

    @Test
    void aLockOfAThreadThatHasEnded(LockService locks) throws InterruptedException {
      Thread worker = new Thread(() -> locks.getLock("orders:44").lock(), "worker");
      worker.start();
      worker.join();
    }

    @Test
    void failsByItself(LockService locks) {
      locks.getLock("orders:45").lock();
      throw new IllegalStateException("its own error");
    }

    @Test
    void whatAnotherProcessHolds(LockWorld world) {
      world.anotherProcess().getLock("orders:46").lock();
    }

    @Test
    void whatIsReleasedInTime(LockService locks, LockWorld world) {
      locks.getLock("orders:47").lock();
      world.storeDown();
      locks.getLock("orders:47").unlock(); // sent again in the background
    }

    @Test
    void whatIsHeldWhileTheStoreIsDown(LockService locks, LockWorld world) {
      locks.getLock("orders:48").lock();
      world.storeDown();
    }

    @Test
    void whatACrashedProcessHolds(LockService locks, LockWorld world) {
      locks.getLock("orders:49").lock();
      world.crash(locks);
    }

    @Test
    void whatIsUnlockedAfterTheTest(LockService locks) {
      locks.getLock("after").lock();
    }

    @AfterEach
    void unlock(LockService locks, LockWorld world) {
      if (world.holds().stream().anyMatch(hold -> hold.name().equals("after"))) {
        locks.getLock("after").unlock();
      }
    }
  }

  @Test
  void whatTheOwnServiceStillHoldsFailsTheTestByName() {
    Map<String, Throwable> failures = failures(Leaking.class);

    assertThat(failures)
        .containsOnlyKeys(
            "aLock",
            "aLease",
            "aReadLockAndPermits",
            "aLockOfAThreadThatHasEnded",
            "failsByItself",
            "whatIsHeldWhileTheStoreIsDown");
    assertThat(failures.get("aLock"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("its service still holds lock 'orders:42', acquired by thread '")
        .hasMessageContaining("finally");
    assertThat(failures.get("aLease")).hasMessageContaining("lock 'orders:43'");
    assertThat(failures.get("aReadLockAndPermits"))
        .hasMessageContaining("read lock 'page'")
        .hasMessageContaining("semaphore 'printers'");
    assertThat(failures.get("aLockOfAThreadThatHasEnded"))
        .hasMessageContaining("lock 'orders:44'")
        .hasMessageContaining("has ended");
    assertThat(failures.get("whatIsHeldWhileTheStoreIsDown"))
        .hasMessageContaining("lock 'orders:48'");
  }

  @MortiseTest
  static class GivenUpForLater {
    private static final Duration LATER = Duration.ofMinutes(1);

    private static void isKept(LockService locks, LockWorld world) {
      assertEquals(List.of(), locks.holds());
      assertThat(world.holds()).hasSize(1);
    }

    @Test
    void aLock(LockService locks, LockWorld world) {
      locks.getLock("job").lock();
      locks.getLock("job").unlockAfter(LATER);
      isKept(locks, world);
    }

    @Test
    void aLease(LockService locks, LockWorld world) throws InterruptedException {
      locks.getLock("job").acquire().closeAfter(LATER);
      isKept(locks, world);
    }

    @Test
    void aReadLock(LockService locks, LockWorld world) {
      locks.getReadWriteLock("page").readLock().lock();
      locks.getReadWriteLock("page").readLock().unlockAfter(LATER);
      isKept(locks, world);
    }

    @Test
    void aWriteLock(LockService locks, LockWorld world) {
      locks.getReadWriteLock("page").writeLock().lock();
      locks.getReadWriteLock("page").writeLock().unlockAfter(LATER);
      isKept(locks, world);
    }

    @Test
    void permits(LockService locks, LockWorld world) throws InterruptedException {
      locks.getSemaphore("printers").trySetPermits(3);
      locks.getSemaphore("printers").acquire(2).closeAfter(LATER);
      isKept(locks, world);
    }
  }

  @Test
  void whatWasGivenUpForLaterIsNoLeak() {
    assertEquals(Map.of(), failures(GivenUpForLater.class));
  }

  @Test
  void aTestThatHasFailedKeepsItsOwnErrorAlone() {
    assertThat(failures(Leaking.class).get("failsByItself"))
        .hasMessage("its own error")
        .hasNoSuppressedExceptions();
  }

  @MortiseTest(leaks = Leaks.IGNORE)
  static class Lenient {
    @Test
    void leaves(LockService locks) {
      locks.getLock("orders:42").lock();
    }
  }

  @Test
  void leaksCanBeIgnored() {
    allPass(Lenient.class, 1);
  }

  @MortiseTest
  static class Sharing {
    static final CyclicBarrier BOTH = new CyclicBarrier(2);

    private void holds(LockService locks) throws Exception {
      assertTrue(locks.getLock("orders:42").tryLock());
      BOTH.await(20, TimeUnit.SECONDS); // two tests hold the lock of one name at the same time
      locks.getLock("orders:42").unlock();
    }

    @Test
    void one(LockService locks) throws Exception {
      holds(locks);
    }

    @Test
    void other(LockService locks) throws Exception {
      holds(locks);
    }
  }

  @Test
  void testsThatRunInParallelHaveAStoreEach() {
    allPass(Sharing.class, 2);
  }

  @MortiseTest
  static class Keeping {
    @BeforeEach
    void keep(LockService locks) {
      KEPT.add(locks);
    }

    @Test
    void usesTheSameServiceEverywhere(LockService locks, LockWorld world) {
      assertSame(world.service(), locks);
      assertEquals(List.of(locks), KEPT);
      LockService other = world.anotherProcess();
      other.getLock("orders:42").lock();
      KEPT.add(other);
    }
  }

  @Test
  void allServicesAreClosedAfterTheTest() {
    allPass(Keeping.class, 1);

    assertEquals(2, KEPT.size());
    for (LockService closed : KEPT) {
      assertThrows(LockServiceClosedException.class, () -> closed.getLock("orders:42"));
    }
  }

  @MortiseTest(leaseTime = "10s")
  @HeldElsewhere({"class", "both"})
  static class Configured {
    @Test
    @HeldElsewhere("method")
    void ofTheClassAndTheMethod(LockService locks) {
      assertThat(locks.getLock("class")).isHeld();
      assertThat(locks.getLock("method")).isHeld();
    }

    @Nested
    @HeldElsewhere({"inner", "both"})
    class Inner {
      @Test
      @HeldElsewhere("method")
      void heldByAllClassesAround(LockService locks) {
        assertThat(locks.getLock("class")).isHeld();
        assertThat(locks.getLock("inner")).isHeld();
        assertThat(locks.getLock("method")).isHeld();
      }

      @Test
      void ofTheClassAround(LockService locks) {
        locks.getLock("job").lock();
        assertThat(locks.getLock("job").remaining()).isEqualTo(Duration.ofSeconds(10));
        locks.getLock("job").unlock();
      }
    }
  }

  @Test
  void aTestThatPassesLeavesNoWarning() {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      allPass(Configured.class, 3);
      allPass(RealTime.class, 1);
    } finally {
      System.setErr(before);
    }
    String text = said.toString(StandardCharsets.UTF_8);
    assertEquals(List.of(), text.lines().filter(line -> line.contains("mortise")).toList());
  }

  @MortiseTest(time = Time.SYSTEM)
  @HeldElsewhere("class")
  static class RealTime {
    @Test
    void ofTheClass(LockService locks) {
      assertThat(locks.getLock("class")).isHeld();
    }
  }

  @Test
  void settingsComeFromTheNearestAnnotation() {
    allPass(Configured.class, 3);
  }

  static class Registered {
    @RegisterExtension
    final MortiseExtension mortise =
        new MortiseExtension()
            .withLeaseTime(Duration.ofSeconds(7))
            .withTime(Time.SYSTEM)
            .withLeaks(Leaks.IGNORE);

    @Test
    void usesIts(LockService locks, LockWorld world) {
      locks.getLock("job").lock();
      assertThat(locks.getLock("job").remaining())
          .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
      assertThrows(IllegalStateException.class, () -> world.advance(Duration.ofSeconds(1)));
    }
  }

  @Test
  void anExtensionThatIsRegisteredByHandHasItsOwnSettings() {
    allPass(Registered.class, 1);
  }

  @MortiseTest
  static class WithConstructor {
    WithConstructor(LockService locks) {
      assertThat(locks).isNotNull();
    }

    @Test
    void neverRuns() {}
  }

  @MortiseTest(leaseTime = "half a minute")
  static class BadLeaseTime {
    @Test
    void neverRuns() {}
  }

  @Test
  void badUseIsRefusedWithTheNextStep() {
    assertThat(failures(WithConstructor.class).get("neverRuns"))
        .hasStackTraceContaining("make it a parameter of the test method");
    assertThat(failures(BadLeaseTime.class).get("neverRuns"))
        .hasMessageContaining("half a minute")
        .hasMessageContaining("PT30S");
  }

  @Test
  void aLeaseTimeIsReadInEachForm() {
    List<Duration> expected =
        List.of(
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofMinutes(2),
            Duration.ofHours(1),
            Duration.ofSeconds(90));
    assertEquals(
        expected,
        List.of("500ms", "30s", "2m", "1h", "PT1M30S").stream().map(LeaseTime::parse).toList());
  }
}
