package io.mortise.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.mortise.Kind;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What services hold and what waits in them, at the moment when a registry asks. It is read from
 * their tables and never counted from events, so it cannot drift. A registry keeps the first gauge
 * of a name and ignores others, so all objects that bind it share one instance. Thread-safe.
 */
final class HoldGauges {
  /** Those of each registry, which keeps its own alive by its gauges. */
  private static final Map<MeterRegistry, WeakReference<HoldGauges>> KNOWN = new WeakHashMap<>();

  private final CopyOnWriteArrayList<LockService> services = new CopyOnWriteArrayList<>();

  private HoldGauges() {}

  static HoldGauges of(MeterRegistry registry) {
    HoldGauges gauges;
    synchronized (KNOWN) {
      WeakReference<HoldGauges> known = KNOWN.get(registry);
      HoldGauges alive = known == null ? null : known.get();
      gauges = alive == null ? new HoldGauges() : alive;
      KNOWN.put(registry, new WeakReference<>(gauges));
    }
    gauges.register(registry);
    return gauges;
  }

  void add(LockService service) {
    services.removeIf(HoldGauges::isClosed);
    services.addIfAbsent(service);
  }

  /** A proxy is not asked: one of Spring opens its service at the first call of most methods. */
  private static boolean isClosed(LockService service) {
    if (Proxy.isProxyClass(service.getClass())) {
      return false;
    }
    try {
      service.getLock("any"); // sends nothing
      return false;
    } catch (LockServiceClosedException e) {
      return true;
    }
  }

  private void register(MeterRegistry registry) {
    for (Kind kind : Kind.values()) {
      Tags tags = Tags.of(MeterTable.tag("kind", kind));
      if (kind != Kind.LATCH) { // a latch gives nothing to hold
        Supplier<Number> held = () -> sum(service -> held(service, kind));
        register(registry, "mortise.lock.held", "Holds at this moment", tags, held);
      }
      Supplier<Number> waiting = () -> sum(service -> waiting(service, kind));
      register(registry, "mortise.lock.waiting", "Attempts that wait now", tags, waiting);
    }
    Supplier<Number> suspect = () -> sum(HoldGauges::suspect);
    String meaning = "Holds whose last renewal failed, and whose lease has not ended";
    register(registry, "mortise.lease.suspect", meaning, Tags.empty(), suspect);
  }

  private static void register(
      MeterRegistry registry, String name, String meaning, Tags tags, Supplier<Number> value) {
    Gauge.builder(name, value).description(meaning).tags(tags).register(registry);
  }

  private long sum(ToLongFunction<LockService> count) {
    services.removeIf(HoldGauges::isClosed); // a registry may outlive many services
    return services.stream().mapToLong(count).sum();
  }

  private static long held(LockService service, Kind kind) {
    return service.holds().stream().filter(hold -> hold.kind() == kind).count();
  }

  private static long waiting(LockService service, Kind kind) {
    return service.waits().stream().filter(wait -> wait.kind() == kind).count();
  }

  private static long suspect(LockService service) {
    return service.holds().stream().filter(hold -> hold.state() == LeaseState.SUSPECT).count();
  }
}
