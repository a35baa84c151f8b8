package io.mortise.shedlock;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import io.mortise.junit.LockWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * What the provider does beyond ShedLock's contract, on a store whose time the test moves. {@code
 * lockAtMostFor} is by the time of the system.
 */
class MortiseLockProviderTest {
  private static final Duration LEASE = ofSeconds(30);

  private final LockWorld world = LockWorld.withMovableTime(LEASE);
  private final LockService here = world.service();
  private final LockService there = world.anotherProcess();
  private final MortiseLockProvider provider = new MortiseLockProvider(here);
  private final MortiseLockProvider elsewhere = new MortiseLockProvider(there);

  @AfterEach
  void close() {
    world.close();
  }

  private static LockConfiguration job(Duration atMost, Duration atLeast) {
    return new LockConfiguration(Instant.now(), "report", atMost, atLeast);
  }

  private static LockConfiguration job() {
    return job(ofMinutes(10), ZERO);
  }

  private boolean isFreeElsewhere() {
    Optional<SimpleLock> lock = elsewhere.lock(job());
    lock.ifPresent(SimpleLock::unlock);
    return lock.isPresent();
  }

  // A process that dies

  @Test
  void theJobOfADeadProcessIsFreeAfterTheLeaseAndNotAfterLockAtMostFor() {
    assertTrue(elsewhere.lock(job(Duration.ofHours(8), ZERO)).isPresent());
    world.crash(there);

    world.advance(LEASE.minusSeconds(1));
    assertTrue(provider.lock(job()).isEmpty());
    world.advance(ofSeconds(2));
    provider.lock(job()).orElseThrow().unlock();
  }

  @Test
  void aLockAtLeastForIsKeptAlsoIfTheProcessEnds() {
    elsewhere.lock(job(ofMinutes(10), ofMinutes(5))).orElseThrow().unlock();
    world.crash(there);

    world.advance(ofMinutes(4));
    assertTrue(provider.lock(job()).isEmpty());
    world.advance(ofMinutes(1).plusSeconds(1));
    provider.lock(job()).orElseThrow().unlock();
  }

  @Test
  void aProcessThatEndsInTheJobKeepsNoLockAtLeastFor() {
    assertTrue(elsewhere.lock(job(ofMinutes(10), ofMinutes(5))).isPresent());
    world.crash(there);
    world.advance(LEASE.plusSeconds(1));
    assertTrue(provider.lock(job(ofMinutes(10), ofMinutes(5))).isPresent());

    here.close();
    new MortiseLockProvider(world.anotherProcess()).lock(job()).orElseThrow().unlock();
  }

  @Test
  void aServiceThatWaitsForTheJobBeforeItClosesKeepsLockAtLeastFor() {
    SimpleLock lock = elsewhere.lock(job(ofMinutes(10), ofMinutes(5))).orElseThrow();
    CompletableFuture<Boolean> closed =
        CompletableFuture.supplyAsync(() -> there.close(ofMinutes(20)));
    Await.until("it is closing", this::isClosing);
    lock.unlock();
    world.advance(ofSeconds(2));
    assertTrue(Await.value(closed));
    assertTrue(provider.lock(job()).isEmpty());
  }

  private boolean isClosing() {
    try {
      elsewhere
          .lock(new LockConfiguration(Instant.now(), "other", ofMinutes(1), ZERO))
          .ifPresent(SimpleLock::unlock);
      return false;
    } catch (LockServiceClosedException e) {
      return true;
    }
  }

  // A job that takes long

  @Test
  void aJobIsLockedForMuchLongerThanTheLease() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    for (int i = 0; i < 20; i++) {
      world.advance(LEASE.dividedBy(2));
    }
    assertFalse(isFreeElsewhere());
    lock.unlock();
    assertTrue(isFreeElsewhere());
  }

  @Test
  void aJobThatTakesLongerThanLockAtMostForIsTold() {
    SimpleLock lock = provider.lock(job(ofMillis(50), ZERO)).orElseThrow();
    Await.until("the lock is free", this::isFreeElsewhere);

    assertTrue(lock.extend(ofMinutes(1), ZERO).isEmpty());
    String said = assertThrows(LeaseLostException.class, lock::unlock).toString();
    assertTrue(said.contains("'report'") && said.contains("lockAtMostFor"), said);
  }

  @Test
  void aCommonPoolThatIsBlockedDoesNotKeepTheLock() {
    CountDownLatch released = new CountDownLatch(1);
    try {
      for (int i = 0; i < 100; i++) {
        ForkJoinPool.commonPool().execute(() -> awaitQuietly(released));
      }
      assertTrue(provider.lock(job(ofSeconds(1), ZERO)).isPresent());
      Await.until("its time is up", this::isFreeElsewhere);
    } finally {
      released.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aLateUnlockDoesNotReleaseTheLockOfTheNextHolder() {
    SimpleLock lock = provider.lock(job(ofMillis(50), ZERO)).orElseThrow();
    Await.until("the lock is free", this::isFreeElsewhere);
    SimpleLock next = elsewhere.lock(job()).orElseThrow();

    assertThrows(LeaseLostException.class, lock::unlock);

    assertTrue(provider.lock(job()).isEmpty(), "the next holder still has it");
    next.unlock();
  }

  @Test
  void theResultOfAJobThatLostItsLockIsNoSuccess() {
    LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
    AtomicInteger ran = new AtomicInteger();
    Runnable losing =
        () -> {
          there.getLock("report").forceUnlock();
          ran.incrementAndGet();
        };
    assertThrows(LeaseLostException.class, () -> executor.executeWithLock(losing, job()));
    assertEquals(1, ran.get());
  }

  @Test
  void aJobThatExtendsItsLockKeepsItBeyondTheFirstLockAtMostFor() throws InterruptedException {
    LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
    executor.executeWithLock(
        (Runnable)
            () -> {
              LockExtender.extendActiveLock(ofMinutes(5), ZERO);
              sleep(1_200);
              assertFalse(isFreeElsewhere());
            },
        job(ofSeconds(1), ZERO));
    assertTrue(isFreeElsewhere());
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis); // lockAtMostFor is by the time of the system
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anExtensionMayShortenTheTimeToo() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    SimpleLock shorter = lock.extend(ofMillis(50), ZERO).orElseThrow();
    Await.until("the lock is free", this::isFreeElsewhere);
    assertThrows(LeaseLostException.class, shorter::unlock);
  }

  @Test
  void anExtensionReplacesLockAtLeastFor() {
    SimpleLock lock = provider.lock(job(ofMinutes(10), ofMinutes(5))).orElseThrow();
    lock.extend(ofMinutes(10), ZERO).orElseThrow().unlock();
    assertTrue(isFreeElsewhere());
  }

  @Test
  void aLostLockCannotBeExtended() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    there.getLock("report").forceUnlock();
    Await.until("it is lost", () -> here.holds().isEmpty());

    assertTrue(lock.extend(ofMinutes(1), ZERO).isEmpty());
    assertThrows(LeaseLostException.class, lock::unlock);
    assertTrue(isFreeElsewhere());
  }

  @Test
  void shedLocksKeepAliveProviderWorksOnIt() throws Exception {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    try {
      KeepAliveLockProvider alive = new KeepAliveLockProvider(provider, timer);
      SimpleLock lock = alive.lock(job()).orElseThrow();
      assertFalse(isFreeElsewhere());
      lock.unlock();
      assertTrue(isFreeElsewhere());
    } finally {
      timer.shutdownNow();
    }
  }

  // Threads

  @Test
  void anotherThreadMayExtendAndUnlock() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    SimpleLock next =
        Await.value(
            CompletableFuture.supplyAsync(() -> lock.extend(ofMinutes(1), ZERO).orElseThrow()));
    Await.value(CompletableFuture.runAsync(next::unlock));
    assertTrue(isFreeElsewhere());
  }

  @Test
  void oneOfManyThreadsUnlocks() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    AtomicInteger refused = new AtomicInteger();
    CompletableFuture<?>[] all = new CompletableFuture<?>[8];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          CompletableFuture.runAsync(() -> {
            try {
              lock.unlock();
            } catch (IllegalStateException e) {
              refused.incrementAndGet();
            }
          });
    }
    Await.value(CompletableFuture.allOf(all));
    assertEquals(7, refused.get());
  }

  @Test
  void anInterruptedThreadGetsNoLock() {
    Thread.currentThread().interrupt();
    LockException refused = assertThrows(LockException.class, () -> provider.lock(job()));
    assertTrue(Thread.interrupted(), "the flag stays set");
    assertTrue(refused.toString().contains("'report'"), refused.toString());
    assertTrue(isFreeElsewhere());
  }

  // The store and the arguments

  @Test
  void aStoreThatDoesNotAnswerIsAnExceptionAndNotASkippedJob() {
    LockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
    AtomicInteger ran = new AtomicInteger();
    world.storeDown();
    assertInstanceOf(BackendUnavailableException.class, refusal(executor, ran).getCause());
    world.storeUp();
    world.loseReply();
    assertInstanceOf(OutcomeUnknownException.class, refusal(executor, ran).getCause());
    assertEquals(0, ran.get());
    Await.until("what was acquired without a reply is withdrawn", this::isFreeElsewhere);
  }

  private static LockException refusal(LockingTaskExecutor executor, AtomicInteger ran) {
    return assertThrows(
        LockException.class,
        () -> executor.executeWithLock((Runnable) ran::incrementAndGet, job()));
  }

  @Test
  void anExtensionSendsNoCommand() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    world.storeDown();
    assertTrue(lock.extend(ofMinutes(1), ZERO).isPresent());
    world.storeUp();
  }

  @Test
  void timesThatCannotBeKeptAreRefusedBeforeTheLockIsAcquired() {
    Duration tooLong = Duration.ofDays(10_001);
    String said =
        assertThrows(IllegalArgumentException.class, () -> provider.lock(job(tooLong, tooLong)))
            .toString();
    assertTrue(said.contains("'report'") && said.contains("10,000 days"), said);

    SimpleLock lock = provider.lock(job()).orElseThrow();
    assertThrows(IllegalArgumentException.class, () -> lock.extend(tooLong, ZERO));
    assertThrows(IllegalArgumentException.class, () -> lock.extend(ofSeconds(1), ofSeconds(2)));
    lock.unlock();
  }

  @Test
  void aJobHasTheLockOfItsName() {
    SimpleLock lock = provider.lock(job()).orElseThrow();
    assertTrue(there.getLock("report").isLocked());
    lock.unlock();
    assertFalse(there.getLock("report").isLocked());
  }

  // Messages

  private static LockConfiguration forged(Duration atMost) {
    return new LockConfiguration(Instant.now(), "report\n42", atMost, ZERO);
  }

  private static void shows(String text, Executable call) {
    String message = String.valueOf(assertThrows(RuntimeException.class, call).getMessage());
    assertTrue(message.contains(text), message);
  }

  @Test
  void aMessageShowsTheNameOfAJobOnOneLine() {
    SimpleLock lock = provider.lock(forged(ofMinutes(1))).orElseThrow();
    assertEquals("lock of job 'report\\u000a42'", lock.toString());
    lock.unlock();
    String shown = "job 'report\\u000a42'";
    shows("the lock of " + shown + " was unlocked", lock::unlock);
    shows(shown + ": lockAtMostFor", () -> provider.lock(forged(Duration.ofDays(10_001))));
  }

  @Test
  void aMessageShowsTheNameOfAThreadOnOneLine() {
    Thread thread = Thread.currentThread();
    String before = thread.getName();
    thread.setName("http\n42");
    thread.interrupt();
    try {
      shows(
          "job 'report\\u000a42' does not run: thread http\\u000a42 is interrupted",
          () -> provider.lock(forged(ofMinutes(1))));
    } finally {
      assertTrue(Thread.interrupted());
      thread.setName(before);
    }
  }

  @Test
  void theEndOfAJobThatRanTooLongIsShownOnOneLine() {
    try (LogCapture log = LogCapture.start()) {
      SimpleLock lock = provider.lock(forged(ofMillis(1))).orElseThrow();
      String shown = "job 'report\\u000a42'";
      Await.until("it is told", () -> !log.lines(shown + " has run for longer").isEmpty());
      shows(shown + " ran for longer", lock::unlock);
    }
  }
}
