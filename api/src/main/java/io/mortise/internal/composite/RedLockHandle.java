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
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Redlock as the application has it: it knows which thread holds which lease. Thread-safe. */
public class RedLockHandle implements RedLock {
  private static final Logger log = LoggerFactory.getLogger(RedLockHandle.class);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(50);
  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(1);
  private static final int TIMEOUTS_PER_LEASE = 20;

  private final QuorumMembers members;
  private final String places;
  private final ThreadLeases holds;
  private final List<Consumer<? super LeaseChange>> listeners;

  private RedLockHandle(
      QuorumMembers members, String places, List<Consumer<? super LeaseChange>> listeners) {
    this.members = members;
    this.places = places;
    holds = members.all().get(0).threadLeases();
    this.listeners = listeners;
  }

  /** A handle of the same lock, with what the other handle knows of it. */
  RedLockHandle(RedLockHandle other, QuorumMembers members) {
    this(members, other.places, other.listeners);
  }

  final QuorumMembers members() {
    return members;
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
    MemberServers.checkStores(name, all);
    MemberServers servers = new MemberServers(name, all);
    servers.ask();
    QuorumMembers members = new QuorumMembers(name, all, timeout(all), null, servers);
    String lock = String.join("|", new TreeSet<>(places));
    return new RedLockHandle(members, lock, new CopyOnWriteArrayList<>());
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
    return with(answeringWithin(timeout));
  }

  final QuorumMembers answeringWithin(Duration timeout) {
    if (timeout.isNegative()
        || timeout.isZero()
        || timeout.compareTo(members.lease().dividedBy(3)) > 0) {
      throw new IllegalArgumentException(
          "member timeout %s is out of range: more than zero, at most a third of the lease of %s"
              .formatted(timeout, members.lease()));
    }
    return new QuorumMembers(
        members.name(), members.all(), timeout, members.voters(), members.servers());
  }

  @Override
  public RedLockHandle withQuarantine(Duration longestLease) {
    return with(inQuarantine(longestLease));
  }

  final QuorumMembers inQuarantine(Duration longestLease) {
    Duration longest = Duration.ofNanos(LeaseTerms.fixed(longestLease).nanos());
    List<Member> all = members.all();
    all.forEach(this::checkHasMarker);
    VotingSet set = VotingSet.of(all.stream().map(Member::voter).toList(), longest);
    return new QuorumMembers(members.name(), all, members.nodeTimeout(), set, members.servers());
  }

  private void checkHasMarker(Member member) {
    if (member.store().topology() == Topology.CLUSTER) {
      throw new IllegalArgumentException(
          "Redlock '%s' cannot have a quarantine: the member %s is in a cluster, where a lock and the marker of its server have different hash slots; use single servers or sentinel sets as members (docs/locks/redlock.md#survive-restarts-without-data)"
              .formatted(name(), member.place()));
    }
  }

  @Override
  public void init() {
    VotingSet set = members.voters();
    if (set == null) {
      throw new IllegalStateException(
          "Redlock '%s' has no quarantine, so its servers vote at once; call withQuarantine first"
              .formatted(name()));
    }
    members.checkOpen();
    members.all().forEach(Member::checkUnused);
    members.all().forEach(each -> each.startVoting(set));
  }

  @Override
  public FencedRedLockHandle fenced() {
    if (members.voters() == null) {
      throw new IllegalStateException(
          "Redlock '%s' has no quarantine, so a server without its data could give a token twice; call withQuarantine first"
              .formatted(name()));
    }
    return new FencedRedLockHandle(this, members);
  }

  RedLockHandle with(QuorumMembers other) {
    return new RedLockHandle(this, other);
  }

  @Override
  public String name() {
    return members.name();
  }

  @Override
  public RedLockHandle withLease(Duration lease) {
    return with(leasing(each -> each.withLease(lease)));
  }

  @Override
  public LeasedLock withMaxHold(Duration max) {
    throw new UnsupportedOperationException(
        "Redlock '%s' has no max hold of its own, because it acquires members again while it is held; open the services of its members with maxHold, or call ensureHeld and unlock"
            .formatted(name()));
  }

  final QuorumMembers leasing(UnaryOperator<Member> other) {
    List<Member> all = members.all().stream().map(other).toList();
    return new QuorumMembers(
        members.name(), all, timeoutFor(all), members.voters(), members.servers());
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
    with(leasing(each -> each.withLease(lease, unit))).lock();
  }

  @Override
  public void lockInterruptibly(long lease, TimeUnit unit) throws InterruptedException {
    with(leasing(each -> each.withLease(lease, unit))).lockInterruptibly();
  }

  @Override
  public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
    return with(leasing(each -> each.withLease(lease, unit))).tryLock(wait, unit);
  }

  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  /** Requests a lease for the calling thread. */
  private CompletableFuture<LeaseOutcome> request(long wait) {
    members.time().checkMayPark();
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
    members.servers().acquiring(members);
    start(new QuorumOwner(owner, this::tell), wait, result);
  }

  /** Requests a lease for an owner. */
  void start(QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> result) {
    QuorumRequest.start(members, owner, wait, result);
  }

  private boolean enter(LeaseOutcome outcome) {
    Lease lease = outcome.lease();
    if (lease != null) {
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
    if (own == null || !isCertain(own) || !((QuorumLease) own.lease()).ensure(members)) {
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
      throw Member.notHeld("Redlock '" + name() + "'");
    }
    Lease over = holds.exit(places, own);
    if (over != null) {
      over.close();
    } else if (!isValid(own)) {
      throw lost();
    }
  }

  @Override
  public void unlockAfter(Duration after) {
    throw QuorumLease.noRest(name(), "unlock");
  }

  @Override
  public boolean isHeldByCurrentThread() {
    boolean held = isValid(own());
    if (!held) {
      holds.told(places);
    }
    return held;
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

  private static boolean isCertain(ThreadLeases.Held held) {
    return ((QuorumLease) held.lease()).isCertain();
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
    Lease unused = requireLease();
  }

  /** The lease of the calling thread's hold, which is not over. Throws if there is none. */
  final Lease requireLease() {
    ThreadLeases.Held own = own();
    if (own == null) {
      throw Member.notHeld("Redlock '" + name() + "'");
    }
    if (!isCertain(own)) {
      throw lost();
    }
    return own.lease();
  }

  private LeaseLostException lost() {
    return new LeaseLostException(
        "Redlock '%s' was held by thread %s, but too few of its members still are; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(name(), Thread.currentThread().getName()));
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
    if (isValid(own())) {
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
