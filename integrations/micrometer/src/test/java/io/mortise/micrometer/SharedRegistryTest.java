package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A registry outlives services and the objects that measure them. */
class SharedRegistryTest {
  private final MeterRegistry registry = new SimpleMeterRegistry();

  private static LockService.Builder builder() {
    return LockService.builder().backend(InMemoryStore.create().backend());
  }

  private double held() {
    return registry.get("mortise.lock.held").tag("kind", "plain").gauge().value();
  }

  @Test
  void theGaugesOfSeveralObjectsAreOne() {
    LockService first = new MortiseMetrics(registry).open(builder());
    try (LockService second = new MortiseMetrics(registry).open(builder())) {
      first.getLock("a").lock();
      second.getLock("b").lock();
      second.getLock("c").lock();
      assertEquals(3, held());
      first.close();
      assertEquals(2, held());
    }
    try (LockService third = new MortiseMetrics(registry).open(builder())) {
      third.getLock("d").lock();
      assertEquals(1, held());
    }
  }

  @Test
  void aServiceThatTwoObjectsWatchCountsOnce() {
    try (LockService service = new MortiseMetrics(registry).open(builder())) {
      new MortiseMetrics(registry).watch(service);
      service.getLock("a").lock();
      assertEquals(1, held());
    }
  }

  @Test
  void aClearedRegistryMayBeBoundAgain() {
    MortiseMetrics first = new MortiseMetrics(registry);
    try (LockService service = first.open(builder())) {
      registry.clear();
      new MortiseMetrics(registry);
      service.getLock("a").lock();
      assertEquals(1, held());
    }
  }

  @Test
  void closedServicesAreForgotten() {
    MortiseMetrics metrics = new MortiseMetrics(registry);
    List<WeakReference<LockService>> closed = opened(metrics, 5);
    closed.forEach(each -> Objects.requireNonNull(each.get()).close());
    registry.find("mortise.lock.held").gauges().forEach(Gauge::value);
    Scene.await(() -> {
      System.gc();
      return closed.stream().allMatch(each -> each.get() == null);
    });
    assertTrue(metrics.toString().contains("groups"), "it is still there");
  }

  private static List<WeakReference<LockService>> opened(MortiseMetrics metrics, int count) {
    List<WeakReference<LockService>> services = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      services.add(new WeakReference<>(metrics.open(builder())));
    }
    return services;
  }

  @Test
  void aRegistryIsForgottenWithItsServices() {
    WeakReference<MeterRegistry> dropped = new WeakReference<>(dropped());
    Scene.await(() -> {
      System.gc();
      return dropped.get() == null;
    });
  }

  private static MeterRegistry dropped() {
    MeterRegistry registry = new SimpleMeterRegistry();
    new MortiseMetrics(registry).open(builder()).close();
    return registry;
  }

  @Test
  void aGaugeDoesNotOpenAServiceThatIsOpenedAtItsFirstUse() {
    AtomicInteger others = new AtomicInteger();
    LockService proxy =
        (LockService)
            Proxy.newProxyInstance(
                LockService.class.getClassLoader(),
                new Class<?>[] {LockService.class},
                (self, method, arguments) -> {
                  others.addAndGet(method.getName().equals("getLock") ? 1 : 0);
                  return List.of();
                });
    new MortiseMetrics(registry).watch(proxy);
    assertEquals(0, held());
    assertEquals(0, others.get());
  }

  @Test
  void aBuilderMayOpenSeveralServices() {
    MortiseMetrics metrics = new MortiseMetrics(registry);
    LockService.Builder builder = LockService.builder().uri("memory:shared-registry");
    try (LockService first = metrics.open(builder);
        LockService second = metrics.open(builder)) {
      second.getLock("a:1").lock();
      second.getLock("a:1").unlock();
      assertEquals(1, registry.get("mortise.lock.wait").timer().count());
      assertEquals(1, registry.get("mortise.command").tag("script", "acquire").timer().count());
      first.getLock("a:2").lock();
      assertEquals(2, registry.get("mortise.lock.wait").timer().count());
    }
  }
}
