package io.mortise.internal.lock;

import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.internal.discovery.InstalledProviders;
import io.mortise.internal.discovery.StoreUri;
import io.mortise.internal.engine.LeaseEvents;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.CredentialSuppliers;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ReplicaAcks;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects the options of a service, checks them together, and opens it. */
public final class ServiceBuilder implements LockService.Builder {
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
  private static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
  private static final Duration LONGEST_LEASE = Duration.ofDays(10_000);
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(10);

  private @Nullable URI uri;
  private final Map<String, String> properties = new HashMap<>();
  private CredentialSuppliers credentials = CredentialSuppliers.NONE;
  private @Nullable String provider;
  private @Nullable LockBackend backend;
  private boolean shared;
  private UnaryOperator<LockBackend> wrapper = UnaryOperator.identity();
  private @Nullable Duration leaseTime;
  private @Nullable Duration maxHold;
  private @Nullable Duration commandTimeout;
  private @Nullable String keyPrefix;
  private @Nullable Integer handOffLimit;
  private @Nullable Duration retain;

  /** The options that are on or off, by name. */
  private final Map<String, Boolean> switches = new HashMap<>();

  private @Nullable ReplicaAcks replicaAcks;
  private @Nullable Executor executor;
  private final List<LockListener> listeners = new ArrayList<>();

  /** Creates a builder with every option at its default. */
  public ServiceBuilder() {}

  @Override
  public LockService.Builder uri(String text) {
    uri = onceUnseen("uri", uri, StoreUri.parse(Objects.requireNonNull(text, "uri")));
    return this;
  }

  @Override
  public LockService.Builder property(String name, String value) {
    Objects.requireNonNull(value, "value");
    if (properties.putIfAbsent(Objects.requireNonNull(name, "name"), value) != null) {
      throw new IllegalStateException("property " + name + " was already set; set it once");
    }
    return this;
  }

  @Override
  public LockService.Builder credentials(Supplier<Credentials> supplier) {
    Supplier<Credentials> servers = onceUnseen("credentials", credentials.servers(), supplier);
    credentials = new CredentialSuppliers(servers, credentials.sentinels());
    return this;
  }

  @Override
  public LockService.Builder sentinelCredentials(Supplier<Credentials> supplier) {
    Supplier<Credentials> sentinels =
        onceUnseen("sentinelCredentials", credentials.sentinels(), supplier);
    credentials = new CredentialSuppliers(credentials.servers(), sentinels);
    return this;
  }

  @Override
  public LockService.Builder provider(String name) {
    provider = once("provider", provider, name);
    return this;
  }

  @Override
  public LockService.Builder backend(LockBackend made) {
    backend = once("backend", backend, made);
    return this;
  }

  @Override
  public LockService.Builder sharedBackend(LockBackend made) {
    backend = once("backend", backend, made);
    shared = true;
    return this;
  }

  @Override
  public LockService.Builder wrapBackend(UnaryOperator<LockBackend> next) {
    Objects.requireNonNull(next, "wrapper");
    UnaryOperator<LockBackend> before = wrapper;
    wrapper = backend -> next.apply(before.apply(backend));
    return this;
  }

  @Override
  public LockService.Builder leaseTime(Duration lease) {
    leaseTime = once("leaseTime", leaseTime, lease);
    atLeast("leaseTime", lease, SHORTEST_LEASE);
    require(
        lease.compareTo(LONGEST_LEASE) <= 0, "leaseTime " + lease + " is longer than 10,000 days");
    return this;
  }

  @Override
  public LockService.Builder maxHold(Duration limit) {
    maxHold = once("maxHold", maxHold, limit);
    require(
        limit.compareTo(LONGEST_LEASE) <= 0, "maxHold " + limit + " is longer than 10,000 days");
    return this;
  }

  @Override
  public LockService.Builder commandTimeout(Duration timeout) {
    commandTimeout = once("commandTimeout", commandTimeout, timeout);
    atLeast("commandTimeout", timeout, SHORTEST_TIMEOUT);
    return this;
  }

  @Override
  public LockService.Builder keyPrefix(String prefix) {
    keyPrefix = once("keyPrefix", keyPrefix, prefix);
    LockKeys.checkPrefix(prefix);
    return this;
  }

  @Override
  public LockService.Builder handOffLimit(int limit) {
    handOffLimit = once("handOffLimit", handOffLimit, limit);
    require(limit >= 0, "handOffLimit " + limit + " is negative; 0 turns hand-off off");
    return this;
  }

  @Override
  public LockService.Builder retain(Duration longest) {
    retain = once("retain", retain, longest);
    require(!longest.isNegative(), "retain " + longest + " is negative; zero retains nothing");
    return this;
  }

  @Override
  public LockService.Builder interruptOnLoss(boolean interrupt) {
    return switched("interruptOnLoss", interrupt);
  }

  @Override
  public LockService.Builder breakDeadlocks(boolean breaks) {
    return switched("breakDeadlocks", breaks);
  }

  @Override
  public LockService.Builder redissonInterop(boolean interop) {
    return switched("redissonInterop", interop);
  }

  @Override
  public LockService.Builder replicaAcks(int replicas, Duration wait) {
    replicaAcks = once("replicaAcks", replicaAcks, new ReplicaAcks(replicas, wait));
    require(
        replicas >= 1,
        "replicaAcks(%d, …) asks for no replica; leave the option out".formatted(replicas));
    atLeast("the wait of replicaAcks", wait, Duration.ofMillis(1));
    return this;
  }

  @Override
  public LockService.Builder executor(Executor given) {
    executor = once("executor", executor, given);
    return this;
  }

  @Override
  public LockService.Builder listener(LockListener given) {
    listeners.add(Objects.requireNonNull(given, "listener"));
    return this;
  }

  @Override
  public LockService open() {
    LockBackend given = backend;
    try {
      return open(given);
    } catch (RuntimeException e) {
      if (given != null && !shared) {
        given.close(); // the caller may have no reference to it, so it cannot close it
      }
      throw e;
    }
  }

  private LockService open(@Nullable LockBackend given) {
    ServiceOptions settings = settings();
    Supplier<LeaseEvents> events = () -> new LeaseEvents(listeners, executor);
    URI where = uri;
    boolean onlyWithUri = provider != null || !properties.isEmpty() || hasCredentials();
    if (given != null && where == null && !onlyWithUri) {
      return ServiceHandle.open(wrapped(given), !shared, settings, events);
    }
    if (where == null || given != null) {
      throw new IllegalStateException(
          "a service needs either uri(…), with provider(…) if several fit, property(…) and credentials(…), or backend(…), and not both");
    }
    LockBackend opened =
        InstalledProviders.open(
            where, provider, settings.commandTimeout(), properties, credentials);
    return ServiceHandle.open(wrappedOrClosed(opened), true, settings, events);
  }

  private boolean hasCredentials() {
    return !credentials.equals(CredentialSuppliers.NONE);
  }

  private LockBackend wrapped(LockBackend inner) {
    return Objects.requireNonNull(
        wrapper.apply(inner), "a wrapper of wrapBackend(…) returned null");
  }

  private LockBackend wrappedOrClosed(LockBackend opened) {
    try {
      return wrapped(opened);
    } catch (RuntimeException | Error e) {
      opened.close(); // nobody else has a reference to it
      throw e;
    }
  }

  private ServiceOptions settings() {
    Duration lease = Objects.requireNonNullElse(leaseTime, DEFAULT_LEASE);
    Duration third = lease.dividedBy(3);
    Duration shorter = third.compareTo(DEFAULT_TIMEOUT) < 0 ? third : DEFAULT_TIMEOUT;
    Duration timeout = Objects.requireNonNullElse(commandTimeout, shorter);
    require(
        timeout.compareTo(third) <= 0,
        "commandTimeout %s is more than a third of leaseTime %s; a failed renewal could not be tried again in time"
            .formatted(timeout, lease));
    require(
        maxHold == null || maxHold.compareTo(lease) >= 0,
        "maxHold %s is shorter than leaseTime %s".formatted(maxHold, lease));
    require(
        Objects.requireNonNullElse(retain, Duration.ZERO).compareTo(lease.dividedBy(2)) <= 0,
        "retain %s is more than half of leaseTime %s; a lock that is retained is not renewed"
            .formatted(retain, lease));
    checkReplicaAcks(timeout);
    return new ServiceOptions(
        lease,
        maxHold,
        timeout,
        Objects.requireNonNullElse(keyPrefix, ServiceOptions.KEY_PREFIX),
        Objects.requireNonNullElse(handOffLimit, ServiceOptions.NO_LIMIT),
        Objects.requireNonNullElse(retain, Duration.ZERO),
        switches.getOrDefault("interruptOnLoss", false),
        switches.getOrDefault("breakDeadlocks", false),
        switches.getOrDefault("redissonInterop", false),
        replicaAcks,
        QueueTimes.standard(timeout));
  }

  private void checkReplicaAcks(Duration timeout) {
    ReplicaAcks acks = replicaAcks;
    if (acks == null) {
      return;
    }
    require(
        acks.timeout().compareTo(timeout.dividedBy(2)) < 0,
        "the wait %s of replicaAcks is half of commandTimeout %s or more; the reply could come too late"
            .formatted(acks.timeout(), timeout));
  }

  private LockService.Builder switched(String option, boolean on) {
    switches.put(option, once(option, switches.get(option), on));
    return this;
  }

  private static <T> T once(String option, @Nullable Object before, T value) {
    Objects.requireNonNull(value, option);
    if (before != null) {
      throw new IllegalStateException(
          "%s was already set to %s, and is now given %s; set it once"
              .formatted(option, before, value));
    }
    return value;
  }

  /** As {@link #once}, for values that a message does not show. */
  private static <T> T onceUnseen(String option, @Nullable Object before, T value) {
    Objects.requireNonNull(value, option);
    Object unused = once(option, before == null ? null : "one already", "another");
    return value;
  }

  private static void atLeast(String option, Duration value, Duration least) {
    require(value.compareTo(least) >= 0, option + ' ' + value + " is shorter than " + least);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
