package io.mortise.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.mortise.Kind;
import io.mortise.LeaseState;
import io.mortise.LockService;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What services hold and what waits in them, at the moment when a registry asks. It is read from
 * their tables and never counted from events, so it cannot drift. Thread-safe.
 */
final class HoldGauges {
  private final CopyOnWriteArrayList<LockService> services = new CopyOnWriteArrayList<>();

  void add(LockService service) {
    services.addIfAbsent(service);
  }

  void register(MeterRegistry registry) {
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
