package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MortiseMetricsTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final MortiseMetrics metrics = new MortiseMetrics(registry);
  private final Scene scene = new Scene(metrics);

  @AfterEach
  void close() {
    scene.close();
  }

  /** The timers and counters that have fired, as text; those of the commands are left out. */
  private static Set<String> fired(MeterRegistry registry) {
    return registry.getMeters().stream()
        .filter(meter -> !(meter instanceof Gauge))
        .filter(meter -> meter.measure().iterator().next().getValue() > 0)
        .map(Meter::getId)
        .filter(id -> !id.getName().equals("mortise.command"))
        .map(id ->
            id.getName()
                + id.getTags().stream()
                    .map(tag -> tag.getKey() + '=' + tag.getValue())
                    .collect(Collectors.joining(",", "{", "}")))
        .collect(Collectors.toSet());
  }

  private void assertFired(String... meters) {
    assertEquals(Set.of(meters), fired(registry));
  }

  private double gauge(String name, String... tags) {
    return registry.get(name).tags(tags).gauge().value();
  }

  private static String wait(String kind, String outcome, String via) {
    return "mortise.lock.wait{group=orders,kind=%s,outcome=%s,via=%s}"
        .formatted(kind, outcome, via);
  }

  private static String hold(String kind, String end) {
    return "mortise.lock.hold{end=%s,group=orders,kind=%s}".formatted(end, kind);
  }

  private DistributedLock lock() {
    return scene.measured.getLock("orders:42");
  }

  @Test
  void beforeAnyLockNothingHasFired() {
    assertFired();
    assertTrue(registry.find("mortise.lock.held").gauges().stream().allMatch(g -> g.value() == 0));
  }

  @Test
  void aFreeLockComesFromTheStore() {
    lock().lock();
    scene.advance(Duration.ofSeconds(3));
    lock().lock(); // nested, which is no attempt
    lock().unlock();
    lock().unlock();

    assertFired(wait("plain", "acquired", "store"), hold("plain", "released"));
    Timer hold = registry.get("mortise.lock.hold").timer();
    assertEquals(1, hold.count());
    assertEquals(3, hold.totalTime(TimeUnit.SECONDS));
  }

  @Test
  void eachKindHasItsTag() throws InterruptedException {
    scene.measured.getFencedLock("orders:1").lock();
    scene.measured.getReadWriteLock("orders:2").readLock().lock();
    scene.measured.getSemaphore("orders:3").trySetPermits(1);
    Optional<Lease> permit = scene.measured.getSemaphore("orders:3").tryAcquire(1, Duration.ZERO);
    CompletableFuture<?> lease = scene.measured.getFairLock("orders:4").async().acquire();
    Scene.await(lease::isDone);

    assertFired(
        wait("fenced", "acquired", "store"),
        wait("read", "acquired", "store"),
        wait("semaphore", "acquired", "store"),
        wait("fair", "acquired", "store"));
    assertEquals(1, gauge("mortise.lock.held", "kind", "fenced"));
    assertEquals(1, gauge("mortise.lock.held", "kind", "read"));
    assertEquals(1, gauge("mortise.lock.held", "kind", "semaphore"));
    assertEquals(1, gauge("mortise.lock.held", "kind", "fair"));
    assertEquals(0, gauge("mortise.lock.held", "kind", "plain"));
    permit.orElseThrow().close();
    assertEquals(0, gauge("mortise.lock.held", "kind", "semaphore"));
  }

  @Test
  void aLockThatIsNotFreeIsBusy() {
    scene.other.getLock("orders:42").lock();

    assertFalse(lock().tryLock());

    assertFired(wait("plain", "busy", "none"));
  }

  @Test
  void aWaitMayTimeOut() {
    scene.other.getLock("orders:42").lock();

    Thread waiter =
        scene.waiting(() -> {
          try {
            lock().tryLock(5, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    assertEquals(1, gauge("mortise.lock.waiting", "kind", "plain"));
    scene.advance(Duration.ofSeconds(6));
    Scene.join(waiter);

    assertFired(wait("plain", "timed-out", "none"));
    assertEquals(5, registry.get("mortise.lock.wait").timer().totalTime(TimeUnit.SECONDS), 0.5);
    assertEquals(0, gauge("mortise.lock.waiting", "kind", "plain"));
  }

  @Test
  void aWaitMayBeInterrupted() {
    scene.other.getLock("orders:42").lock();

    Thread waiter =
        scene.waiting(
            () -> assertThrows(InterruptedException.class, () -> lock().lockInterruptibly()));
    waiter.interrupt();
    Scene.join(waiter);

    assertFired(wait("plain", "interrupted", "none"));
  }

  @Test
  void aRequestMayBeCancelled() {
    scene.other.getLock("orders:42").lock();

    CompletableFuture<Lease> request = lock().async().acquire();
    Scene.await(() -> gauge("mortise.lock.waiting", "kind", "plain") == 1);
    request.cancel(false);
    Scene.await(() -> !fired(registry).isEmpty());

    assertFired(wait("plain", "cancelled", "none"));
  }

  @Test
  void aWaitFailsWithItsService() {
    scene.other.getLock("orders:42").lock();

    Thread waiter = scene.waiting(() -> assertThrows(RuntimeException.class, () -> lock().lock()));
    scene.measured.close();
    Scene.join(waiter);

    assertFired(wait("plain", "failed", "none"));
  }

  @Test
  void anOpenLatchIsNoHold() throws InterruptedException {
    scene.other.getCountDownLatch("orders:9").trySetCount(1);
    scene.other.getCountDownLatch("orders:9").countDown();
    scene.measured.getCountDownLatch("orders:9").await();
    Scene.await(() -> !fired(registry).isEmpty());

    assertFired(wait("latch", "open", "none"));
  }

  @Test
  void anotherThreadHandsTheLockOff() {
    Scene.Held held = Scene.heldByThread(lock());
    Thread waiter =
        scene.waiting(() -> {
          lock().lock();
          lock().unlock();
        });
    assertEquals(1, gauge("mortise.lock.held", "kind", "plain"));
    assertEquals(1, gauge("mortise.lock.waiting", "kind", "plain"));
    held.end();
    Scene.join(waiter);

    assertFired(
        wait("plain", "acquired", "store"),
        wait("plain", "acquired", "handed"),
        hold("plain", "released"));
    assertEquals(0, gauge("mortise.lock.held", "kind", "plain"));
    assertEquals(0, gauge("mortise.lock.waiting", "kind", "plain"));
  }

  @Test
  void theStoreGrantsTheLockToAWaiter() {
    DistributedLock elsewhere = scene.other.getLock("orders:42");
    elsewhere.lock();
    Thread waiter =
        scene.waiting(() -> {
          lock().lock();
          lock().unlock();
        });
    elsewhere.unlock();
    Scene.join(waiter);

    assertFired(wait("plain", "acquired", "granted"), hold("plain", "released"));
  }

  private static String lost(String cause) {
    return "mortise.lock.lost{cause=%s,group=orders,kind=plain}".formatted(cause);
  }

  private void assertLost(String cause) {
    Scene.await(() -> fired(registry).contains(lost(cause)));
    assertFired(wait("plain", "acquired", "store"), hold("plain", "lost"), lost(cause));
    assertEquals(0, gauge("mortise.lock.held", "kind", "plain"));
  }

  @Test
  void aForcedUnlockIsALoss() {
    lock().lock();
    scene.other.getLock("orders:42").forceUnlock();
    assertLost("forced");
  }

  @Test
  void theEndOfAFixedLeaseIsALoss() {
    lock().lock(5, TimeUnit.SECONDS);
    scene.advance(Duration.ofSeconds(6));
    assertLost("expired");
  }

  @Test
  void closingAServiceLosesItsHolds() {
    lock().lock();
    scene.measured.close();
    assertLost("service-closed");
  }

  @Test
  void renewalsAreCountedAndAFailingOneMakesAHoldSuspect() {
    lock().lock();
    scene.advance(Duration.ofSeconds(11));
    assertFired(wait("plain", "acquired", "store"), "mortise.lease.renewals{outcome=ok}");
    assertEquals(1, registry.get("mortise.lease.renewals").tag("outcome", "ok").counter().count());
    assertEquals(0, gauge("mortise.lease.suspect"));

    scene.renewalsFail = true;
    scene.advance(Duration.ofSeconds(11));
    assertTrue(fired(registry).contains("mortise.lease.renewals{outcome=failed}"));
    assertEquals(1, gauge("mortise.lease.suspect"));

    scene.renewalsFail = false;
    scene.advance(Duration.ofSeconds(5));
    assertEquals(0, gauge("mortise.lease.suspect"));
    lock().unlock();
  }

  @Test
  void aHoldThatCannotBeRenewedIsLostAsUnreachable() {
    lock().lock();
    scene.renewalsFail = true;
    scene.advance(Duration.ofSeconds(31));

    assertTrue(fired(registry).contains(lost("unreachable")), fired(registry)::toString);
    assertEquals(0, gauge("mortise.lease.suspect"));
  }

  @Test
  void noMeterShowsTheNameOfALock() {
    lock().lock();
    lock().unlock();

    Set<String> keys =
        registry.getMeters().stream()
            .flatMap(meter -> meter.getId().getTags().stream())
            .map(Tag::getKey)
            .collect(Collectors.toSet());
    assertEquals(Set.of("kind", "group", "outcome", "via", "end", "script"), keys);
    assertTrue(
        registry.getMeters().stream()
            .flatMap(meter -> meter.getId().getTags().stream())
            .noneMatch(tag -> tag.getValue().contains("42")));
  }

  @Test
  void manyNamesMakeNoMoreGroupsThanTheBound() {
    MeterRegistry own = new SimpleMeterRegistry();
    MortiseMetrics bounded = new MortiseMetrics(own, LockGroups.prefixes(3));
    try (LockService locks =
        bounded.open(LockService.builder().backend(InMemoryStore.create().backend()))) {
      for (char first = 'a'; first <= 'z'; first++) {
        locks.getLock(first + ":1").lock();
        locks.getLock(first + ":1").unlock();
      }
    }
    assertEquals(
        Set.of("a", "b", "c", "other"),
        own.get("mortise.lock.hold").timers().stream()
            .map(timer -> timer.getId().getTag("group"))
            .collect(Collectors.toSet()));
    assertEquals(23, own.get("mortise.lock.hold").tag("group", "other").timer().count());
  }

  @Test
  void aRegistryMayBeBoundLater() {
    MortiseMetrics early = new MortiseMetrics(LockGroups.none());
    MeterRegistry later = new SimpleMeterRegistry();
    try (LockService locks = early.open(scene.builder())) {
      locks.getLock("orders:7").lock();
      early.bindTo(later);
      assertTrue(later.find("mortise.lock.wait").meters().isEmpty());
      assertTrue(later.find("mortise.command").meters().isEmpty());
      assertEquals(2, later.get("mortise.lease.renewals").counters().size());
      locks.getLock("orders:7").unlock();

      assertEquals(Set.of("mortise.lock.hold{end=released,group=none,kind=plain}"), fired(later));
      locks.getLock("orders:8").lock();
      assertEquals(1, later.get("mortise.lock.held").tag("kind", "plain").gauge().value());
      locks.getLock("orders:8").unlock();
    }
  }

  @Test
  void aRegistryThatThrowsHindersNoLock() {
    MeterRegistry broken = new SimpleMeterRegistry();
    broken
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                if (id.getName().matches("mortise\\.(command|lock\\.(wait|hold))")) {
                  throw new IllegalStateException("broken on purpose");
                }
                return id;
              }
            });
    MortiseMetrics hindered = new MortiseMetrics(broken);
    try (LockService locks = hindered.open(scene.builder())) {
      DistributedLock lock = locks.getLock("orders:1");
      lock.lock();
      assertTrue(lock.isHeldByCurrentThread());
      assertFalse(scene.other.getLock("orders:1").tryLock());
      lock.unlock();
      assertTrue(scene.other.getLock("orders:1").tryLock());
    }
    assertEquals(Set.of(), fired(broken));
  }

  @Test
  void runsOfScheduledJobsAreCountedByName() {
    metrics.scheduled("reports", MortiseMetrics.Run.RAN);
    metrics.scheduled("reports", MortiseMetrics.Run.SKIPPED);
    metrics.scheduled("bills", MortiseMetrics.Run.FAILED);
    assertFired(
        "mortise.scheduled{name=reports,outcome=ran}",
        "mortise.scheduled{name=reports,outcome=skipped}",
        "mortise.scheduled{name=bills,outcome=failed}");
  }

  @Test
  void aRegistryThatThrowsHindersNoScheduledJob() {
    SimpleMeterRegistry broken = new SimpleMeterRegistry();
    MortiseMetrics toBroken = new MortiseMetrics(broken);
    broken
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("no meters today");
              }
            });
    try (LogCapture log = LogCapture.start()) {
      toBroken.scheduled("re\nports", MortiseMetrics.Run.RAN);
      assertEquals(1, log.lines("a run of 're\\u000aports' could not be counted").size());
    }
    assertEquals(Set.of(), fired(broken));
  }
}
