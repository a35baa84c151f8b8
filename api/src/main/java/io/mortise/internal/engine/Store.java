package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.internal.concurrent.Backoff;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockScripts;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store as the parts of one service use it: its backend, its scripts with the options of the
 * service, its time, and whether the service still takes work. Thread-safe.
 */
public final class Store {
  /** How the command of one lock is sent: by itself, or with those of others. */
  public interface Sender {
    /**
     * Sends the call now or later, and never twice.
     *
     * @return waits for the reply, and throws what the call failed with
     */
    Supplier<List<Object>> send(ScriptCall call);
  }

  private static final Logger log = LoggerFactory.getLogger(Store.class);
  private static final Duration FIRST_WAIT = Duration.ofMillis(50);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
  private static final Duration LONGEST_WAIT_FOR_FAILOVER = Duration.ofMillis(200);

  private final LockBackend backend;
  private final TimeSource time;
  private final ClockSteps steps;

  /** How far the time of day was ahead of the monotonic one (ms) when the service was opened. */
  private final long ahead;

  private final ServiceOptions options;
  private final ClientId clientId;
  private volatile LockScripts scripts;
  private volatile boolean anyKeys;
  private final LeaseTerms defaultLease;
  private final long longestHold;
  private final long retain;
  private final long recheck;
  private final ServicePhase phase;
  private final CommandBatcher batcher;
  private final Sender asking;
  private final Departures departures = new Departures();

  /** The commands that the server refuses to scripts, and that the log has told of. */
  private final Set<String> complaints = ConcurrentHashMap.newKeySet();

  Store(ClientId clientId, LockBackend backend, ServiceOptions options) {
    this.clientId = clientId;
    this.backend = backend;
    this.options = options;
    time = backend.time();
    steps = new ClockSteps(time);
    ahead = time.currentTimeMillis() - time.nanoTime() / 1_000_000;
    BackendInfo info = backend.info();
    scripts = new LockScripts(options, info, info.publishCounts());
    anyKeys = info.anyKeys();
    defaultLease = LeaseTerms.renewed(options.leaseTime());
    Duration maxHold = options.maxHold();
    longestHold = maxHold == null ? Long.MAX_VALUE / 2 : maxHold.toNanos();
    retain = options.retain().toNanos();
    recheck = options.times().recheck().toNanos();
    phase = new ServicePhase(clientId, time);
    batcher = new CommandBatcher(backend);
    asking = call -> () -> backend.execute(call);
  }

  public LockBackend backend() {
    return backend;
  }

  public TimeSource time() {
    return time;
  }

  /** The monotonic time. {@link #steps} then has every step until a millisecond before. */
  public long now() {
    return steps.now();
  }

  /**
   * A monotonic time as a time of day (us), always the same for the same time. It is right as far
   * as no clock was set since the service was opened. So it serves to compare, and nothing else.
   */
  long timeOfDay(long nanos) {
    return ahead * 1_000 + nanos / 1_000;
  }

  /** Tells whether the machine may have been suspended. */
  ClockSteps steps() {
    return steps;
  }

  public ServiceOptions options() {
    return options;
  }

  public LockScripts scripts() {
    return scripts;
  }

  /** From now on no script believes that nobody hears a message. */
  public void distrustCounts() {
    scripts = new LockScripts(options, backend.info(), false);
  }

  /** Whether one command may be for names of several hash slots. */
  public boolean anyKeys() {
    return anyKeys;
  }

  /**
   * Notes why a command for several names failed. Some stores look like one server and are a
   * cluster behind it. From the first refusal on, no command is for names of several slots.
   *
   * @return whether the store refused the command for that
   */
  boolean refusedForSlots(@Nullable Throwable failure) {
    boolean refused = Failures.cause(failure).code().equals("CROSSSLOT");
    anyKeys &= !refused;
    return refused;
  }

  public ClientId clientId() {
    return clientId;
  }

  /**
   * The waits between commands that fail. The longest one decides how soon a waiter notices that
   * the store is back. A single server that is down comes back after a restart, and nobody knows
   * when. Where a replica takes over, that takes seconds, so waiters look more often: each sends
   * five commands a second, most of which fail without reaching a server.
   */
  public Backoff backoff() {
    boolean single = backend.info().topology() == Topology.SINGLE;
    return new Backoff(FIRST_WAIT, single ? LONGEST_WAIT : LONGEST_WAIT_FOR_FAILOVER);
  }

  /** The lease of a lock that is renewed until it is released. */
  public LeaseTerms defaultLease() {
    return defaultLease;
  }

  /** How many replicas acknowledge a lease; null if none has to. */
  @Nullable ReplicaAcks replicaAcks() {
    return options.replicaAcks();
  }

  /** After which time a waiter asks again (ns). */
  long recheck() {
    return recheck;
  }

  /** How long a hold is renewed at most (ns). */
  long longestHold() {
    return longestHold;
  }

  /** Whether a hold would last still that an answer now began, to a command that was sent then. */
  boolean lasts(LeaseTerms lease, long sentAt) {
    long most = Math.min(lease.maxHold(), longestHold);
    return now() - sentAt < (lease.renewed() ? Math.min(lease.nanos(), most) : lease.nanos());
  }

  /**
   * For how long after its acquisition a plain hold is kept that no thread uses (ns); 0 if never.
   */
  long retain() {
    return retain;
  }

  /** Will run a command on the thread that wants the reply. It is always the same object. */
  public Sender asking() {
    return asking;
  }

  /**
   * Sends a command, for whose reply a thread waits later. What the backend throws counts as a
   * reply; otherwise a gate would keep its agent for ever.
   */
  public Supplier<List<Object>> send(ScriptCall call) {
    return joining(begin(call));
  }

  private CompletableFuture<List<Object>> begin(ScriptCall call) {
    try {
      return backend.executeAsync(call);
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * As {@link #send(ScriptCall)}. There is no answer before the handler has run, on the thread that
   * delivers the reply. It must not block.
   */
  Supplier<List<Object>> send(
      ScriptCall call, BiConsumer<@Nullable List<Object>, @Nullable Throwable> handler) {
    return joining(
        begin(call)
            .whenComplete(
                (reply, failure) -> Trampoline.step(() -> handler.accept(reply, failure))));
  }

  /** As {@link #send}, for many commands at the same time. Returns one answer for each. */
  List<Supplier<List<Object>>> sendAll(List<ScriptCall> calls) {
    return batcher.sendNow(calls).stream().map(this::joining).toList();
  }

  private Supplier<List<Object>> joining(CompletableFuture<List<Object>> sent) {
    return () -> Futures.join(sent, time);
  }

  /** Sends commands for which no thread waits. */
  CommandBatcher batcher() {
    return batcher;
  }

  ServicePhase phase() {
    return phase;
  }

  /** What the service gives back at the moment. */
  Departures departures() {
    return departures;
  }

  /** Waits until what goes back of a lock at the moment is answered, or is not in time. */
  public void awaitDeparted(LockKeys keys) {
    CompletableFuture<Void> answers = departures.of(keys);
    if (answers != null) {
      Futures.settle(answers, time, options.commandTimeout().toNanos());
    }
  }

  public String endpoint() {
    return backend.info().endpoint();
  }

  public boolean isClosed() {
    return phase.isClosed();
  }

  /** Whether threads may begin to ask, may go on waiting, and may be granted the lock. */
  public boolean takesWork() {
    return phase.takesWork();
  }

  /** Throws if the service takes no new work. For operations that begin something. */
  public void checkOpen(LockKeys keys) {
    if (!phase.takesWork()) {
      throw phase.refusal(keys.text());
    }
  }

  /** Throws if the service is closed. For operations that a holder may still do while it drains. */
  public void checkNotClosed(LockKeys keys) {
    if (phase.isClosed()) {
      throw phase.refusal(keys.text());
    }
  }

  /**
   * Runs one command other than an acquire or a release.
   *
   * @param what it was to do, for messages
   */
  public List<Object> execute(LockKeys keys, ScriptCall call, String what) {
    checkNotClosed(keys);
    try {
      return backend.execute(call);
    } catch (BackendException e) {
      throw failure(e, what);
    }
  }

  /** As {@link #execute}; the future completes on the thread that delivers the reply. */
  CompletableFuture<List<Object>> executeAsync(LockKeys keys, ScriptCall call, String what) {
    if (isClosed()) {
      return CompletableFuture.failedFuture(phase.refusal(keys.text()));
    }
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    Futures.whenReplied(
        batcher.send(call),
        (reply, failure) -> {
          if (reply == null) {
            answer.completeExceptionally(failure(Failures.cause(failure), what));
          } else {
            answer.complete(reply);
          }
        });
    return answer;
  }

  /**
   * The server refused a script's message. Logged once, since waiters still ask every few seconds.
   */
  public void complainOfMail(@Nullable String refusal) {
    if (refusal != null && complaints.add("PUBLISH")) {
      log.warn(
          "{} refuses PUBLISH to {}*, so waiters are slow to notice a free lock: {}",
          endpoint(),
          LockScripts.mailPrefix(options.keyPrefix()),
          refusal);
    }
  }

  /**
   * The server does not tell the number of the failover that made it a master. Logged once, since
   * tokens rise all the same while that master lives.
   */
  void complainOfEpoch(@Nullable String refusal) {
    if (refusal != null && complaints.add("CLUSTER INFO")) {
      log.warn(
          "{} refuses CLUSTER INFO, so an old master may give larger fencing tokens after a failover: {}; allow it with +cluster|info (docs/troubleshooting.md#permissions)",
          endpoint(),
          refusal);
    }
  }

  public LockException failure(BackendException e, String what) {
    return Failures.of(e, what, endpoint());
  }

  @Override
  public String toString() {
    return clientId + " at " + endpoint() + (isClosed() ? ", closed" : "");
  }
}
