package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Waits and leases accept any duration. They serve it, or refuse it with a message that says which
 * argument is wrong.
 */
public abstract class DurationRules extends LockRules {
  private static final Duration LONGEST_LEASE = Duration.ofDays(10_000);

  private final LockService service = service(ofOneServer(), builder -> builder);

  protected DurationRules(LockKit kit) {
    super(kit);
  }

  private LeasedLock lock(AnyLock kind) {
    return kind.of(service, name);
  }

  /** From the most negative to the largest, with those at the limits of a long of nanoseconds. */
  static Stream<Duration> durations() {
    return Stream.of(
        Duration.ofSeconds(Long.MIN_VALUE),
        Duration.ofNanos(Long.MIN_VALUE).minusNanos(1),
        Duration.ofNanos(Long.MIN_VALUE),
        Duration.ofNanos(-1),
        Duration.ZERO,
        Duration.ofNanos(Long.MAX_VALUE),
        Duration.ofNanos(Long.MAX_VALUE).plusNanos(1),
        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));
  }

  private static List<Duration> notPositive() {
    return durations().filter(each -> each.compareTo(Duration.ZERO) <= 0).toList();
  }

  /** Ways to wait for a lease. */
  private static List<Waits> ways(LeasedLock lock) {
    return List.of(lock::tryAcquire, wait -> Await.value(lock.async().tryAcquire(wait)));
  }

  private static List<Waits> ways(DistributedSemaphore semaphore) {
    return List.of(
        wait -> semaphore.tryAcquire(1, wait),
        wait -> Await.value(semaphore.async(1).tryAcquire(wait)));
  }

  /** A wait for a lease. */
  private interface Waits {
    Optional<Lease> forLease(Duration wait) throws InterruptedException;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L5")
  void whatIsFreeIsTakenHoweverLongTheWaitMayBe(AnyLock kind) throws InterruptedException {
    LeasedLock lock = lock(kind);
    for (Duration wait : durations().toList()) {
      assertTrue(lock.tryLock(wait), wait::toString);
      lock.unlock();
      for (Waits way : ways(lock)) {
        way.forLease(wait).orElseThrow().close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L5")
  void aWaitBelowZeroIsNone(AnyLock kind) throws InterruptedException {
    LeasedLock lock = lock(kind);
    LeasedLock other = kind == AnyLock.READ ? lock(AnyLock.WRITE) : lock;
    try (Lease held = other.acquire()) {
      for (Duration wait : notPositive()) {
        assertEquals(false, lock.tryLock(wait), wait::toString);
        for (Waits way : ways(lock)) {
          assertEquals(Optional.empty(), way.forLease(wait), wait::toString);
        }
      }
      assertTrue(held.isValid());
    }
  }

  @ParameterizedTest
  @MethodSource("durations")
  @Rule("L5")
  void permitsAreWaitedForAsLocksAre(Duration wait) throws InterruptedException {
    DistributedSemaphore semaphore = service.getSemaphore(name);
    semaphore.resize(1);
    for (Waits way : ways(semaphore)) {
      try (Lease held = way.forLease(wait).orElseThrow()) {
        assertTrue(held.isValid());
        if (notPositive().contains(wait)) {
          assertEquals(Optional.empty(), way.forLease(wait));
        }
      }
    }
  }

  private static void assertRefused(Executable call) {
    String said = String.valueOf(assertThrows(IllegalArgumentException.class, call).getMessage());
    assertTrue(said.contains("lease"), said);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L18")
  void aLeaseIsServedOrRefused(AnyLock kind) throws InterruptedException {
    LeasedLock lock = lock(kind);
    try (Lease held = lock.acquire()) {
      for (Duration lease : durations().toList()) {
        assertRefused(() -> lock.withLease(lease));
        assertRefused(() -> held.extend(lease));
        assertRefused(() -> held.extendAsync(lease));
      }
      assertTrue(held.extend(LONGEST_LEASE));
    }
    LeasedLock longest = lock.withLease(LONGEST_LEASE);
    assertTrue(longest.tryLock());
    longest.unlock();
  }

  @ParameterizedTest
  @MethodSource("durations")
  @Rule("L18")
  void anOptionIsServedOrRefused(Duration value) {
    DistributedSemaphore semaphore = service.getSemaphore(name);
    assertRefused(() -> semaphore.withLease(value));
    List<Function<LockService.Builder, LockService.Builder>> options =
        List.of(builder -> builder.leaseTime(value), builder -> builder.commandTimeout(value));
    for (Function<LockService.Builder, LockService.Builder> option : options) {
      assertThrows(
          IllegalArgumentException.class,
          () -> option.apply(LockService.builder().backend(backend())).open());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> ((RedLock) lock(AnyLock.RED)).withMemberTimeout(value));
    assertThrows(
        IllegalArgumentException.class,
        () -> LockService.builder().backend(backend()).maxHold(value).open());
    assertThrows(
        IllegalArgumentException.class,
        () -> LockService.builder().backend(backend()).replicaAcks(1, value).open());
    assertDoesNotThrow(() -> service.getLock(name).isLocked());
  }
}
