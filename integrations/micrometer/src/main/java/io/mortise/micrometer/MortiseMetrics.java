package io.mortise.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.mortise.Kind;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LossCause;
import io.mortise.spi.LockBackend;
import io.mortise.spi.internal.Shown;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of lock services.
 *
 * <pre>{@code
 * MortiseMetrics metrics = new MortiseMetrics(registry);
 * LockService locks = metrics.open(LockService.builder().uri("redis://localhost:6379"));
 * }</pre>
 *
 * <p>{@link #open} does three things, which can also be done one by one: it adds this object as a
 * {@linkplain LockService.Builder#listener listener}, it {@linkplain
 * LockService.Builder#wrapBackend wraps} the backend by {@link #timed}, and it {@linkplain #watch
 * watches} the opened service for the gauges. One object may serve several services and several
 * registries, and several objects may share a registry. A registry may be bound later: events that
 * came before are not in its meters.
 *
 * <p>The name of a lock is never a tag, since names are unbounded. Its {@linkplain LockGroups
 * group} is one. {@code docs/metrics.md} lists the meters.
 *
 * <p>What a registry throws is logged and hinders no lock. Thread-safe.
 */
public final class MortiseMetrics implements LockListener, MeterBinder {
  private static final Logger log = LoggerFactory.getLogger(MortiseMetrics.class);

  /** What became of a scheduled run. */
  public enum Run {
    /** It ran, and ended under its lock. */
    RAN,
    /** Another process had the lock. */
    SKIPPED,
    /** It threw, it lost its lock, or the store could not be asked. */
    FAILED
  }

  private static final int RECENT = 64;

  /** The meters of a name. Immutable, so threads may exchange it through a plain array. */
  private record Recent(String name, Kind kind, GroupMeters meters) {}

  private final LockGroups groups;
  private final CompositeMeterRegistry registries = new CompositeMeterRegistry();
  private final Map<Kind, Map<String, GroupMeters>> byKind = new EnumMap<>(Kind.class);
  private final @Nullable Recent[] recent = new Recent[RECENT]; // saves finding the group again
  private final List<HoldGauges> gauges = new CopyOnWriteArrayList<>(); // of each registry
  private final List<WeakReference<LockService>> services = new CopyOnWriteArrayList<>();
  private final Set<LockService.Builder> builders =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  /**
   * Metrics with groups by {@link LockGroups#prefixes()}.
   *
   * @param registry where the meters go
   */
  public MortiseMetrics(MeterRegistry registry) {
    this(registry, LockGroups.prefixes());
  }

  /**
   * Metrics with the given groups.
   *
   * @param registry where the meters go
   * @param groups the groups of names
   */
  public MortiseMetrics(MeterRegistry registry, LockGroups groups) {
    this(groups);
    bindTo(registry);
  }

  /**
   * Metrics that go nowhere until {@link #bindTo} is called.
   *
   * @param groups the groups of names
   */
  public MortiseMetrics(LockGroups groups) {
    this.groups = Objects.requireNonNull(groups, "groups");
    for (Kind kind : Kind.values()) {
      byKind.put(kind, new ConcurrentHashMap<>());
    }
  }

  /**
   * Opens a service with all meters. A builder may open several services, by this method each.
   *
   * @param builder has the address of the store and all other options
   * @return an open service, which the caller closes
   * @throws RuntimeException as {@link LockService.Builder#open} describes
   */
  public LockService open(LockService.Builder builder) {
    if (builders.add(builder)) { // else it has them already, and all would count twice
      builder.listener(this).wrapBackend(this::timed);
    }
    return watch(builder.open());
  }

  /**
   * Makes the gauges include a service. A service that is closed counts nothing, and the gauges
   * refer to it no more when a registry has asked them. A JDK proxy of a service is kept.
   *
   * @param service the service, which the gauges refer to from now on
   * @return the same service
   */
  public LockService watch(LockService service) {
    Objects.requireNonNull(service, "service");
    services.removeIf(each -> each.get() == null);
    services.add(new WeakReference<>(service)); // for registries that are bound later
    gauges.forEach(each -> each.add(service));
    return service;
  }

  /**
   * Times the commands of a backend. For {@link LockService.Builder#wrapBackend}.
   *
   * @param backend an open backend
   * @return a backend that forwards all calls to it, and closes it when it is closed
   */
  public LockBackend timed(LockBackend backend) {
    return new TimedBackend(Objects.requireNonNull(backend, "backend"), registries);
  }

  /**
   * Adds a registry. The gauges and the counters of renewals are in it at once. No other meter is
   * made before the first registry is there.
   *
   * @param registry where the meters go, besides the registries that were given before
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    if (!registries.getRegistries().contains(Objects.requireNonNull(registry, "registry"))) {
      HoldGauges ofRegistry = HoldGauges.of(registry);
      gauges.add(ofRegistry);
      services.stream().map(WeakReference::get).filter(Objects::nonNull).forEach(ofRegistry::add);
      renewals(registry, "ok");
      renewals(registry, "failed");
      registries.add(registry);
    }
  }

  /** Whether there is a registry. A meter that was made before would lack what it had counted. */
  private boolean isBound() {
    return !registries.getRegistries().isEmpty();
  }

  @Override
  public void acquired(LockAttempt attempt, LockHold hold) {
    if (isBound()) {
      meters(attempt).acquired(hold.via(), attempt.waitedNanos());
    }
  }

  @Override
  public void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {
    if (isBound()) {
      meters(attempt).notAcquired(outcome, attempt.waitedNanos());
    }
  }

  @Override
  public void released(LockHold hold) {
    if (isBound()) {
      meters(hold.attempt()).released(hold.heldNanos());
    }
  }

  @Override
  public void lost(LockHold hold, LossCause cause, String reason) {
    if (isBound()) {
      meters(hold.attempt()).lost(cause, hold.heldNanos());
    }
  }

  @Override
  public void renewed(int holds, long nanos, boolean ok) {
    count("a renewal", holds, () -> renewals(registries, ok ? "ok" : "failed"));
  }

  /**
   * Counts a run of a scheduled job: {@code mortise.scheduled}.
   *
   * @param name the job's name; it is a tag, so it is one of few
   * @param run what became of the run
   */
  public void scheduled(String name, Run run) {
    count(
        "a run of '" + Shown.of(name) + "'",
        1,
        () ->
            Counter.builder("mortise.scheduled")
                .description("Runs of scheduled jobs with a lock")
                .tags(Tags.of(Tag.of("name", name), MeterTable.tag("outcome", run)))
                .register(registries));
  }

  private void count(String what, int by, Supplier<Counter> counter) {
    if (isBound()) {
      try {
        counter.get().increment(by);
      } catch (RuntimeException e) {
        log.warn("{} could not be counted", what, e);
      }
    }
  }

  private GroupMeters meters(LockAttempt attempt) {
    String name = attempt.name();
    int slot = name.hashCode() & (RECENT - 1);
    Recent last = recent[slot];
    if (last == null || last.kind != attempt.kind() || !last.name.equals(name)) {
      last = new Recent(name, attempt.kind(), find(attempt.kind(), name));
      recent[slot] = last;
    }
    return last.meters;
  }

  private GroupMeters find(Kind kind, String name) {
    String group = groups.of(name);
    Map<String, GroupMeters> ofKind = Objects.requireNonNull(byKind.get(kind));
    GroupMeters known = ofKind.get(group);
    return known == null
        ? ofKind.computeIfAbsent(group, added -> new GroupMeters(registries, kind, added))
        : known;
  }

  private static Counter renewals(MeterRegistry registry, String outcome) {
    return Counter.builder("mortise.lease.renewals")
        .description("Leases that a command was to renew")
        .tags(Tags.of("outcome", outcome))
        .register(registry);
  }

  @Override
  public String toString() {
    return "metrics of locks, groups by " + groups;
  }
}
