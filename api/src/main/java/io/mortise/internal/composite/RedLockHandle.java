package io.mortise.internal.composite;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.RedLock;
import io.mortise.Registration;
import io.mortise.internal.engine.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.internal.lock.AsyncLeases;
import io.mortise.internal.lock.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Redlock as the application has it: it knows which thread holds which lease. Thread-safe. */
public final class RedLockHandle implements RedLock {
  private static final Logger log = LoggerFactory.getLogger(RedLockHandle.class);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(50);
  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(1);
  private static final int TIMEOUTS_PER_LEASE = 20;

  private final QuorumMembers members;
  private final String places;
  private final ThreadLeases holds;
  private final List<Consumer<? super LeaseChange>> listeners;
  private final AtomicBoolean checked;

  private RedLockHandle(
      QuorumMembers members,
      String places,
      List<Consumer<? super LeaseChange>> listeners,
      AtomicBoolean checked) {
    this.members = members;
    this.places = places;
    holds = members.all().get(0).threadLeases();
    this.listeners = listeners;
    this.checked = checked;
  }

  public static RedLock of(LeasedLock... locks) {
    List<Member> all =
        Stream.of(locks)
            .map(RedLockHandle::member)
            .sorted(Comparator.comparing(Member::place))
            .toList();
    if (all.isEmpty()) {
      throw new IllegalArgumentException("a Redlock of no locks; give it three or more");
    }
    Set<String> places = new HashSet<>();
    for (Member each : all) {
      if (!places.add(each.place())) {
        throw new IllegalArgumentException(
            "lock '%s' is in the Redlock twice (%s); give each lock once"
                .formatted(each.name(), each.place()));
      }
    }
    String name = all.stream().map(Member::name).distinct().collect(Collectors.joining(", "));
    if (all.size() < 3 || all.size() % 2 == 0) {
      log.warn(
          "Redlock '{}' has {} members, of which {} must be held: it survives the loss of {}, as many as one of {} members; use an odd number, three or more",
          name,
          all.size(),
          all.size() / 2 + 1,
          (all.size() - 1) / 2,
          all.size() - 1);
    }
    QuorumMembers members = new QuorumMembers(name, all, timeout(all));
    String lock = String.join("|", new TreeSet<>(places));
    return new RedLockHandle(members, lock, new CopyOnWriteArrayList<>(), new AtomicBoolean());
  }

  private static Member member(LeasedLock lock) {
    if (Objects.requireNonNull(lock, "a member of the Redlock") instanceof Member member) {
      return member;
    }
    throw new IllegalArgumentException(
        "%s is a %s; a member of a Redlock comes from a LockService"
            .formatted(lock, lock.getClass().getName()));
  }

  /** The standard member timeout: a twentieth of the shortest lease, between 50 ms and 1 s. */
  private static Duration timeout(List<Member> all) {
    Duration part =
        all.stream()
            .map(Member::lease)
            .min(Duration::compareTo)
            .orElseThrow()
            .dividedBy(TIMEOUTS_PER_LEASE);
    Duration bounded = part.compareTo(LONGEST_TIMEOUT) < 0 ? part : LONGEST_TIMEOUT;
    return bounded.compareTo(SHORTEST_TIMEOUT) > 0 ? bounded : SHORTEST_TIMEOUT;
  }

  @Override
  public RedLockHandle withMemberTimeout(Duration timeout) {
    if (timeout.isNegative()
        || timeout.isZero()
        || timeout.compareTo(members.lease().dividedBy(3)) > 0) {
      throw new IllegalArgumentException(
          "member timeout %s is out of range: more than zero, at most a third of the lease of %s"
              .formatted(timeout, members.lease()));
    }
    return with(new QuorumMembers(members.name(), members.all(), timeout));
  }

  private RedLockHandle with(QuorumMembers other) {
    return new RedLockHandle(other, places, listeners, checked);
  }

  @Override
  public String name() {
    return members.name();
  }

  @Override
  public RedLockHandle withLease(Duration lease) {
    return withLease(each -> each.withLease(lease));
  }

  private RedLockHandle withLease(UnaryOperator<Member> other) {
    List<Member> all = members.all().stream().map(other).toList();
    return with(new QuorumMembers(members.name(), all, timeoutFor(all)));
  }

  /** The standard timeout, or the chosen one if it is not too long for the new lease. */
  private Duration timeoutFor(List<Member> all) {
    Duration chosen = members.nodeTimeout();
    if (chosen.equals(timeout(members.all()))) {
      return timeout(all);
    }
    Duration longest =
        all.stream().map(Member::lease).min(Duration::compareTo).orElseThrow().dividedBy(3);
    return chosen.compareTo(longest) < 0 ? chosen : longest;
  }

  // Acquiring

  @Override
  public void lock() {
    if (!lockAgain()) {
      boolean unused = enter(Futures.join(request(LeaseSource.FOREVER), members.time()));
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    throwIfInterrupted();
    if (!lockAgain()) {
      boolean unused = enter(Futures.await(request(LeaseSource.FOREVER), members.time()));
    }
  }

  @Override
  public boolean tryLock() {
    return lockAgain() || enter(Futures.join(request(LeaseSource.NOT), members.time()));
  }

  @Override
  public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
    throwIfInterrupted();
    long nanos = Math.max(LeaseSource.NOT, Math.min(unit.toNanos(wait), Long.MAX_VALUE / 2));
    return lockAgain() || enter(Futures.await(request(nanos), members.time()));
  }

  @Override
  public void lock(long lease, TimeUnit unit) {
    withLease(each -> each.withLease(lease, unit)).lock();
  }

  @Override
  public void lockInterruptibly(long lease, TimeUnit unit) throws InterruptedException {
    withLease(each -> each.withLease(lease, unit)).lockInterruptibly();
  }

  @Override
  public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
    return withLease(each -> each.withLease(lease, unit)).tryLock(wait, unit);
  }

  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Requests a lease for the calling thread. */
  private CompletableFuture<LeaseOutcome> request(long wait) {
    CompletableFuture<LeaseOutcome> result = new CompletableFuture<>();
    request(Thread.currentThread(), wait, result);
    return result;
  }

  private void request(@Nullable Thread owner, long wait, CompletableFuture<LeaseOutcome> result) {
    try {
      members.checkOpen();
    } catch (LockServiceClosedException e) {
      result.completeExceptionally(e);
      return;
    }
    if (checked.compareAndSet(false, true)) {
      checkServers(); // first: what it may throw must not lose a lease request
    }
    QuorumRequest.start(members, new QuorumOwner(owner, this::tell), wait, result);
  }

  private boolean enter(LeaseOutcome outcome) {
    Lease lease = outcome.lease();
    if (lease != null) {
      holds.forgetDead();
      holds.add(places, lease);
    }
    return lease != null;
  }

  /**
   * Counts one more nested lock if the calling thread holds the Redlock. It sends a command only if
   * the lease must be longer.
   */
  private boolean lockAgain() {
    ThreadLeases.Held own = own();
    if (own == null || !isValid(own) || !((QuorumLease) own.lease()).ensure(members)) {
      return false;
    }
    own.enter();
    return true;
  }

  // Releasing and looking

  @Override
  public void unlock() {
    ThreadLeases.Held own = own();
    if (own == null) {
      throw notHeld();
    }
    Lease over = holds.exit(places, own);
    if (over != null) {
      over.close();
    }
  }

  private IllegalMonitorStateException notHeld() {
    Thread thread = Thread.currentThread();
    return new IllegalMonitorStateException(
        "Redlock '%s' is not held by thread %s (%d); only the thread that locked it may unlock it"
            .formatted(name(), thread.getName(), thread.getId()));
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return isValid(own());
  }

  @Override
  public boolean isHeldByThread(long threadId) {
    return isValid(holds.find(places, threadId));
  }

  /** The calling thread's newest hold, valid or lost. */
  private ThreadLeases.@Nullable Held own() {
    return holds.find(places);
  }

  private static boolean isValid(ThreadLeases.@Nullable Held held) {
    return held != null && held.lease().isValid();
  }

  @Override
  public int getHoldCount() {
    ThreadLeases.Held own = own();
    return own != null && isValid(own) ? own.count() : 0;
  }

  @Override
  public LeaseState leaseState() {
    ThreadLeases.Held own = own();
    return own == null ? LeaseState.RELEASED : own.lease().state();
  }

  @Override
  public void ensureHeld() {
    ThreadLeases.Held own = own();
    if (own == null) {
      throw notHeld();
    }
    if (!own.lease().isValid()) {
      throw new LeaseLostException(
          "Redlock '%s' was held by thread %s, but too few of its members still are; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
              .formatted(name(), Thread.currentThread().getName()));
    }
  }

  /**
   * {@inheritDoc} It hears of holds that were acquired through this handle and handles derived from
   * it.
   */
  @Override
  public Registration onLeaseChange(Consumer<? super LeaseChange> listener) {
    Consumer<LeaseChange> one = Objects.requireNonNull(listener, "listener")::accept;
    listeners.add(one);
    return () -> listeners.remove(one);
  }

  private void tell(LeaseChange event) {
    if (event.state() == LeaseState.HELD) {
      log.info("Redlock '{}' is safe again: {}", name(), event);
    } else {
      log.warn("Redlock '{}': {}", name(), event);
    }
    holds.forgetDead();
    listeners.forEach(each -> tell(each, event));
  }

  private static void tell(Consumer<? super LeaseChange> listener, LeaseChange event) {
    try {
      listener.accept(event);
    } catch (RuntimeException e) {
      log.warn("a lock listener failed", e); // the other listeners are notified all the same
    }
  }

  // Leases

  @Override
  public AsyncLock async() {
    return leases();
  }

  @Override
  public Lease acquire() throws InterruptedException {
    checkNotHeld();
    return leases().await();
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    checkNotHeld();
    return leases().await(wait);
  }

  private AsyncLeases leases() {
    return new AsyncLeases(
        (wait, result) -> request(null, wait, result), members::execute, members.time());
  }

  private void checkNotHeld() {
    if (isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "Redlock '%s': thread %s holds it already, and a lease is not reentrant: the thread would wait for itself; unlock first, or nest lock()"
              .formatted(name(), Thread.currentThread().getName()));
    }
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "Redlock '"
            + name()
            + "': conditions need one store; use a condition of a DistributedLock");
  }

  // Members that share a server

  private void checkServers() {
    Map<Member, CompletableFuture<String>> ids = new LinkedHashMap<>();
    members.all().forEach(each -> ids.put(each, server(each)));
    CompletableFuture<Void> unused = Futures.settled(ids.values()).thenRun(() -> warnOfShared(ids));
  }

  /**
   * The server's identity. A server that cannot be asked is not compared, and hinders no
   * acquisition.
   */
  private static CompletableFuture<String> server(Member member) {
    try {
      return member.server();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void warnOfShared(Map<Member, CompletableFuture<String>> ids) {
    Map<String, List<String>> byServer = new TreeMap<>();
    ids.forEach((member, id) -> {
      if (Futures.failure(id) == null && !id.join().isEmpty()) {
        byServer.computeIfAbsent(id.join(), key -> new ArrayList<>()).add(member.place());
      }
    });
    byServer.values().stream()
        .filter(places -> places.size() > 1)
        .forEach(places ->
            log.warn(
                "Redlock '{}': {} members are kept by one server and fail together: {}; give each a server of its own",
                name(),
                places.size(),
                places));
  }

  /** Handles of the same members are equal, whatever lease they ask for. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RedLockHandle that && members.all().equals(that.members.all());
  }

  @Override
  public int hashCode() {
    return members.all().hashCode();
  }

  @Override
  public String toString() {
    return "RedLock[" + name() + ", " + members.quorum() + " of " + members.all() + ']';
  }
}
