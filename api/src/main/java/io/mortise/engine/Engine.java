package io.mortise.engine;

import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.engine.Gate.Step;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared state of one service: its gates by lock, its acquisitions by id, and the parts that
 * serve them. A lock that nobody uses has no entry in either map.
 */
final class Engine {
  private static final Logger log = LoggerFactory.getLogger(Engine.class);

  private final LockBackend backend;
  private final TimeSource time;
  private final Settings settings;
  private final LockScripts scripts;
  private final ClientId clientId;
  private final LeasePolicy defaultLease;
  private final long longestHold;

  private final Map<String, Gate> gates = new ConcurrentHashMap<>();
  private final Map<String, Acquisition> acquisitions = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();

  private final Agents agents;
  private final LeaseKeeper keeper;
  private final Compensator compensator;
  private final Mailbox mailbox;
  private final Claims claims;
  private final RedissonChannels redissonChannels;
  private final Outbox outbox;
  private final Conditions conditions;
  private final LostHolds lostHolds = new LostHolds();
  private final ThreadLeases threadLeases = new ThreadLeases();
  private final Events events;
  private volatile boolean severalKinds;
  private final Closing closing;

  Engine(ClientId clientId, LockBackend backend, Settings settings, Events events) {
    this.clientId = clientId;
    this.backend = backend;
    this.settings = settings;
    this.events = events;
    time = backend.time();
    scripts = new LockScripts(settings, backend.info().publishCounts());
    defaultLease = LeasePolicy.renewed(settings.leaseTime());
    Duration maxHold = settings.maxHold();
    longestHold = maxHold == null ? Long.MAX_VALUE / 2 : maxHold.toNanos();
    agents = new Agents(this);
    keeper = new LeaseKeeper(this);
    compensator = new Compensator(this);
    mailbox = new Mailbox(this);
    claims = new Claims(this);
    redissonChannels = new RedissonChannels(this);
    outbox = new Outbox(backend);
    conditions = new Conditions(this);
    closing = new Closing(this);
  }

  LockBackend backend() {
    return backend;
  }

  TimeSource time() {
    return time;
  }

  long now() {
    return time.nanoTime();
  }

  Settings settings() {
    return settings;
  }

  LockScripts scripts() {
    return scripts;
  }

  ClientId clientId() {
    return clientId;
  }

  LeasePolicy defaultLease() {
    return defaultLease;
  }

  long longestHold() {
    return longestHold;
  }

  Agents agents() {
    return agents;
  }

  LeaseKeeper keeper() {
    return keeper;
  }

  Mailbox mailbox() {
    return mailbox;
  }

  Claims claims() {
    return claims;
  }

  Outbox outbox() {
    return outbox;
  }

  Conditions conditions() {
    return conditions;
  }

  LostHolds lostHolds() {
    return lostHolds;
  }

  ThreadLeases threadLeases() {
    return threadLeases;
  }

  Events events() {
    return events;
  }

  Closing closing() {
    return closing;
  }

  String endpoint() {
    return backend.info().endpoint();
  }

  boolean isClosed() {
    return closing.isClosed();
  }

  /** Whether threads may begin to ask, and those who asked may wait and be let in. */
  boolean takesWork() {
    return closing.takesWork();
  }

  /** For what begins. */
  void checkOpen(LockKeys keys) {
    if (!closing.takesWork()) {
      throw closing.refusal(keys.text());
    }
  }

  /** For what those who hold something may still do. */
  void checkNotClosed(LockKeys keys) {
    if (closing.isClosed()) {
      throw closing.refusal(keys.text());
    }
  }

  // Locking

  /** The calling thread's hold of a lock, if it is inside; its lease may have ended. */
  @Nullable Hold holdOfCurrentThread(LockKeys keys) {
    Thread thread = Thread.currentThread();
    Hold hold = holdOf(keys, thread.getId());
    return hold != null && hold.isOf(thread) ? hold : null;
  }

  /** A thread's hold, also one it took by a handle of another kind. */
  @Nullable Hold holdOf(LockKeys keys, long threadId) {
    Hold hold = holdAt(keys.gate(threadId), threadId);
    if (hold == null && severalKinds) {
      for (LockKeys.Kind kind : keys.kindsOfHold()) {
        hold = hold == null ? holdAt(keys.as(kind).gate(threadId), threadId) : hold;
      }
    }
    return hold;
  }

  private @Nullable Hold holdAt(String place, long threadId) {
    Gate gate = gates.get(place);
    Hold hold = gate == null ? null : gate.hold();
    return hold != null && hold.thread().getId() == threadId ? hold : null;
  }

  /** Any thread's hold. It searches, so it is for people who look. */
  @Nullable Hold holdOf(LockKeys keys) {
    return gates.values().stream()
        .filter(gate -> gate.keys().lock().equals(keys.lock()))
        .map(Gate::hold)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** From now on a lock may have other gates beside the plain one. */
  void useSeveralKinds() {
    severalKinds = true;
  }

  /** Takes the lock for a thread that does not hold it, or returns false when it gives up. */
  boolean lock(LockKeys keys, Waiter waiter) throws InterruptedException {
    try {
      Step step;
      do {
        step = gateOf(keys, waiter).enter(waiter);
      } while (step == Step.RETIRED);
      return step == Step.CLAIMED;
    } finally {
      waiter.restoreInterrupt();
    }
  }

  /** Begins an attempt of a thread that does not hold the lock. */
  Trial begin(LockKeys keys, Waiter waiter) {
    while (true) {
      Gate gate = gateOf(keys, waiter);
      Step step = gate.arrive(waiter);
      if (step == Step.AGENT) {
        return agents.begin(gate, waiter);
      }
      if (step != Step.RETIRED) {
        return () -> step == Step.CLAIMED;
      }
    }
  }

  private Gate gateOf(LockKeys keys, Waiter waiter) {
    checkOpen(keys);
    String place = keys.gate(waiter.thread().getId());
    return gates.computeIfAbsent(place, key -> new Gate(this, keys, waiter));
  }

  void retire(Gate gate) {
    gates.remove(gate.place(), gate);
  }

  /** Claims a lease that is bound to no thread; see {@link Claim#start}. */
  void claim(
      LockKeys keys,
      LeasePolicy lease,
      long wait,
      boolean here,
      CompletableFuture<Claimed> result) {
    try {
      checkOpen(keys);
      Claim.start(this, keys, lease, wait, here, result);
    } catch (LockServiceClosedException e) {
      result.completeExceptionally(e);
    }
  }

  // Acquisitions

  /** An id that was never used: {@code client:sequence:thread} and what it ends in. */
  String newId(long threadId, String suffix) {
    return clientId.text() + ':' + sequence.incrementAndGet() + ':' + threadId + suffix;
  }

  /**
   * An acquisition with a new id.
   *
   * @param own whether nobody else, with another lease, may take it over
   */
  Acquisition newAcquisition(Owner owner, long threadId, LeasePolicy lease, boolean own) {
    String id = newId(threadId, owner.keys().idSuffix(own && lease.equals(defaultLease)));
    Acquisition acquisition = new Acquisition(owner, id, lease);
    acquisitions.put(id, acquisition);
    return acquisition;
  }

  @Nullable Acquisition acquisition(String id) {
    return acquisitions.get(id);
  }

  Collection<Acquisition> acquisitions() {
    return acquisitions.values();
  }

  /** Not under a monitor: of a lock shared with Redisson it may wait for who is being told. */
  void forget(Acquisition acquisition) {
    acquisitions.remove(acquisition.id());
    redissonChannels.ended(acquisition);
    closing.ended();
  }

  /** The store has put an acquisition into the queue. Not under a monitor: it may subscribe. */
  void waits(Acquisition acquisition) {
    redissonChannels.waits(acquisition);
  }

  /** An acquisition waits no more: it is held. */
  void took(Acquisition acquisition) {
    redissonChannels.ended(acquisition);
    keeper.watch(acquisition);
  }

  /**
   * Takes an acquisition back on the thread that gives it up: once that goes on, the store does not
   * let it in any more. Without an answer in time it is taken back in the background.
   *
   * @param patience how long the thread waits for the answer at most (ns)
   */
  void giveUp(Acquisition acquisition, long patience) {
    boolean open = closing.releasing();
    try {
      if (open && patience > 0) {
        leave(acquisition, Duration.ofNanos(patience));
      } else {
        withdraw(acquisition);
      }
    } finally {
      closing.released();
    }
  }

  private void leave(Acquisition acquisition, Duration patience) {
    forget(acquisition);
    try {
      List<Object> unused = backend.execute(scripts.leave(acquisition, patience));
    } catch (RuntimeException e) {
      log.debug("{}: withdrawn in the background", acquisition.keys().text(), e);
      compensator.leave(acquisition);
    }
  }

  /** Takes an acquisition back in the background: out of the queue, or the lock given back. */
  void withdraw(Acquisition acquisition) {
    boolean unused = closing.releasing();
    forget(acquisition);
    compensator.leave(acquisition);
    closing.released();
  }

  /** Sends a command in the background until the store has answered. */
  void compensate(LockKeys keys, ScriptCall call) {
    compensator.send(keys, call);
  }

  /** A message or a reply named an acquisition that is not here any more. */
  void withdrawUnknown(LockKeys keys, String id) {
    compensator.leave(keys, id);
  }

  /**
   * Sees to it that a hold has no less lease than a nested acquisition asks for: a fixed lease is
   * made longer, or renewed from now on.
   *
   * @return whether it is still held
   */
  boolean ensureLease(Acquisition held, LeasePolicy wanted) {
    LeasePolicy has = held.lease();
    boolean enough = wanted.renewed() ? has.renewed() : wanted.nanos() <= held.remaining(now());
    if (enough) {
      return true;
    }
    return extend(
        held, new LeasePolicy(wanted.nanos(), wanted.millis(), has.renewed() || wanted.renewed()));
  }

  /**
   * Makes a lease last at least that long from now.
   *
   * @return whether it is still held
   */
  boolean extend(Acquisition held, LeasePolicy to) {
    long sentAt = now();
    List<Object> reply = execute(held.keys(), scripts.renew(List.of(held), to), extending(held));
    return keeper.confirm(held, to, (Long) reply.get(0), sentAt);
  }

  /** As {@link #extend}; the future completes where the answer arrives. */
  CompletableFuture<Boolean> extendAsync(Acquisition held, LeasePolicy to) {
    long sentAt = now();
    return executeAsync(held.keys(), scripts.renew(List.of(held), to), extending(held))
        .thenApply(reply -> keeper.confirm(held, to, (Long) reply.get(0), sentAt));
  }

  private static String extending(Acquisition held) {
    return "the lease of " + held.keys().text() + " was made longer";
  }

  /**
   * Gives a thread's ended acquisition back to the store. It is known here until the store has
   * answered: a message about it that comes meanwhile is not about an id that nobody knows.
   *
   * @return false if the store no longer had it; true also if the store could not be asked, then it
   *     is asked in the background
   */
  boolean release(Acquisition ended) {
    boolean open = closing.releasing();
    try {
      if (!open) {
        throw heldWhenClosed(ended);
      }
      return sendRelease(ended);
    } finally {
      closing.released();
    }
  }

  /**
   * Ends a lease that is bound to no thread, and gives it back as {@link #release} does.
   *
   * @return false also if it had ended before
   */
  boolean endAndRelease(Acquisition held) {
    boolean unused = closing.releasing();
    try {
      return held.end(LeaseState.RELEASED) && sendRelease(held);
    } finally {
      closing.released();
    }
  }

  private boolean sendRelease(Acquisition ended) {
    List<Object> reply;
    long sentAt = now();
    try {
      reply = backend.execute(scripts.release(ended));
    } catch (BackendException e) {
      return releasedLater(ended, e);
    } finally {
      forget(ended);
    }
    boolean had = released(ended, reply);
    letIn(ended.keys(), reply, sentAt);
    return had;
  }

  /** As {@link #endAndRelease}; the future completes where the answer arrives. */
  CompletableFuture<Boolean> endAndReleaseAsync(Acquisition held) {
    boolean unused = closing.releasing();
    if (!held.end(LeaseState.RELEASED)) {
      closing.released();
      return CompletableFuture.completedFuture(false);
    }
    CompletableFuture<Boolean> released = new CompletableFuture<>();
    long sentAt = now();
    whenReplied(
        outbox.send(scripts.release(held)),
        (reply, failure) -> {
          forget(held);
          try {
            if (reply == null) {
              released.complete(releasedLater(held, Failures.cause(failure)));
            } else {
              released.complete(released(held, reply));
              letIn(held.keys(), reply, sentAt);
            }
          } finally {
            closing.released();
          }
        });
    return released;
  }

  /** Ends everybody's holds or leases; returns whether there were any. */
  boolean force(LockKeys keys) {
    return forced(keys, execute(keys, scripts.force(keys), forcing(keys)));
  }

  /** As {@link #force}; the future completes on the service's executor. */
  CompletableFuture<Boolean> forceAsync(LockKeys keys) {
    CompletableFuture<Boolean> forced =
        executeAsync(keys, scripts.force(keys), forcing(keys))
            .thenApply(reply -> forced(keys, reply));
    return Futures.on(events::execute, forced);
  }

  private static String forcing(LockKeys keys) {
    return keys.text() + " was forced open";
  }

  private boolean forced(LockKeys keys, List<Object> reply) {
    reply.stream().skip(1).forEach(id -> forcedOut((String) id));
    return switch ((String) reply.get(0)) {
      case "FORCED" -> true;
      case "FREE" -> false;
      default -> throw Failures.foreign(keys, (String) reply.get(1));
    };
  }

  /**
   * An id held a lock when somebody forced it open. A message says so, and if it was this service,
   * the reply before it; each on its own, in any order, and however late.
   */
  void forcedOut(String id) {
    Acquisition acquisition = acquisitions.get(id);
    if (acquisition == null) {
      return; // of another service, or over
    }
    acquisition.throwOut(); // before: an answer that comes now is either too late, or ended here
    if (!acquisition.owner().lose(acquisition, "somebody forced the lock open")) {
      acquisition.signal();
    }
  }

  private LockServiceClosedException heldWhenClosed(Acquisition ended) {
    forget(ended);
    abandon(ended);
    return new LockServiceClosedException(
        "%s was held when its service was closed; %s"
            .formatted(ended.keys().text(), leaseEnds(ended)));
  }

  /** The listener will hear no other end of what a thread holds. */
  private void abandon(Acquisition held) {
    events.endsUnreleased(
        held, "its service %s was closed; %s".formatted(clientId, leaseEnds(held)), now());
  }

  private String leaseEnds(Acquisition held) {
    return "its lease ends within %d ms"
        .formatted(TimeUnit.NANOSECONDS.toMillis(held.remaining(now())));
  }

  private boolean released(Acquisition ended, List<Object> reply) {
    mailbox.complain(Reply.textAt(reply, 1));
    boolean had = Reply.isDone(reply) || "RELEASED".equals(reply.get(0));
    if (!had) {
      String reason = "the store no longer had it when it was unlocked";
      ended.wasLost(reason);
      Story.lost(ended, reason);
      events.lost(ended, reason, now());
    }
    return had;
  }

  /** Tells those whom a release names. One that is not here any more is given back. */
  private void letIn(LockKeys keys, List<Object> reply, long sentAt) {
    for (int i = 2; i < reply.size(); i++) {
      String id = (String) reply.get(i);
      Acquisition named = acquisitions.get(id);
      if (named == null) {
        withdrawUnknown(keys, id);
      } else if (!named.isHeld()) {
        Story.granted(named, "in the reply to a release");
        named.owner().granted(named, sentAt);
      }
    }
  }

  private boolean releasedLater(Acquisition ended, BackendException e) {
    log.warn("{}: released in the background: {}", ended.keys().text(), e.getMessage());
    log.debug("the release failed", e);
    if (e.outcome() == Outcome.UNKNOWN && ended.keys().isNamed()) {
      compensator.leaveAgain(ended);
    } else {
      compensator.leave(ended);
    }
    return true;
  }

  /** Lets all ask who wait for a lock: they may be inside without knowing it. */
  void askAgain(LockKeys keys) {
    for (Acquisition acquisition : acquisitions.values()) {
      if (!acquisition.isHeld() && acquisition.keys().queue().equals(keys.queue())) {
        acquisition.signal();
      }
    }
  }

  /**
   * The gate has let go of a lost acquisition: tells whoever wants to know, and tidies the store.
   */
  void lost(Acquisition lost, @Nullable Hold hold, String reason) {
    forget(lost);
    Story.lost(lost, reason);
    if (!isClosed()) {
      compensator.leave(lost);
    }
    events.lost(lost, reason, now());
    if (hold != null && settings.interruptOnLoss()) {
      lostHolds.interrupt(hold);
    }
  }

  // One command

  List<Object> execute(LockKeys keys, ScriptCall call, String what) {
    checkNotClosed(keys);
    try {
      return backend.execute(call);
    } catch (BackendException e) {
      throw failure(e, what);
    }
  }

  /** The same; the future completes where the answer arrives. */
  private CompletableFuture<List<Object>> executeAsync(
      LockKeys keys, ScriptCall call, String what) {
    CompletableFuture<List<Object>> answer = new CompletableFuture<>();
    try {
      checkNotClosed(keys);
    } catch (LockServiceClosedException e) {
      answer.completeExceptionally(e);
      return answer;
    }
    whenReplied(
        outbox.send(call),
        (reply, failure) -> {
          if (reply == null) {
            answer.completeExceptionally(failure(Failures.cause(failure), what));
          } else {
            answer.complete(reply);
          }
        });
    return answer;
  }

  LockException failure(BackendException e, String what) {
    return Failures.of(e, what, endpoint());
  }

  /** Hands a reply to its handler; what that throws is logged, since nobody waits for it. */
  static void whenReplied(
      CompletableFuture<List<Object>> reply,
      BiConsumer<@Nullable List<Object>, @Nullable Throwable> handler) {
    CompletableFuture<@Nullable Void> unused =
        reply.handle((value, failure) -> {
          try {
            Trampoline.step(() -> handler.accept(value, failure));
          } catch (RuntimeException e) {
            log.error("a reply could not be handled", e);
          }
          return null;
        });
  }

  // Close

  /**
   * Rejects new work, turns those away who wait, and waits until the holds have ended.
   *
   * @return whether they have, before the time was over and before it was closed
   */
  boolean drain(Duration longest) {
    return closing.drain(gates.values(), longest);
  }

  /**
   * Rejects new work, turns those away who wait, stops renewal, and gives back what is bound to no
   * thread.
   *
   * @return whether this call closed the engine
   */
  boolean close() {
    if (!closing.close()) {
      return false;
    }
    keeper.close();
    closing.giveBackAll(gates.values());
    mailbox.close();
    redissonChannels.close();
    List<Acquisition> held = acquisitions.values().stream().filter(Acquisition::isHeld).toList();
    held.forEach(this::abandon);
    events.close();
    logHeld(held.stream().map(each -> each.keys().name()).sorted().toList());
    return true;
  }

  private void logHeld(List<String> held) {
    if (!held.isEmpty()) {
      log.warn(
          "service {} was closed while it held {} lock(s), which end with their leases: {}",
          clientId,
          held.size(),
          held.size() <= 10 ? held : held.subList(0, 10) + " …");
    }
  }

  @Override
  public String toString() {
    return clientId + " at " + endpoint() + (isClosed() ? ", closed" : "");
  }
}
