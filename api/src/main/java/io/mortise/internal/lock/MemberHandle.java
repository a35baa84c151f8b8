package io.mortise.internal.lock;

import io.mortise.LeasedLock;
import io.mortise.Registration;
import io.mortise.internal.engine.Batch;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.LeaseEvents;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.Pending;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.internal.engine.Waiter;
import io.mortise.internal.engine.Wanted;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Makes a member of a lock handle. It is immutable. */
public final class MemberHandle implements Member {
  /** The address of a client of the application, which does not say which database it uses. */
  private static final Pattern BARE = Pattern.compile("(?!memory:)[^/]*:\\d+");

  private final LockHandle lock;
  private final Engine engine;
  private final LockKeys keys;

  private MemberHandle(LockHandle lock) {
    this.lock = lock;
    engine = lock.engine();
    keys = lock.keys();
  }

  /**
   * The member that a lock can be.
   *
   * @param needed what the caller needs, as a sentence for the exception
   * @throws IllegalArgumentException it is no lock of one service
   */
  public static Member of(LeasedLock lock, String needed) {
    if (lock instanceof LockHandle handle) {
      return new MemberHandle(handle.unshared());
    }
    throw new IllegalArgumentException(
        "%s is a %s; %s".formatted(lock, lock.getClass().getName(), needed));
  }

  /**
   * Whether both backends are known to have one store: they are the same, or their endpoints are
   * and say which database it is. A cluster has only one.
   */
  static boolean areOne(LockBackend one, LockBackend other) {
    String endpoint = one.info().endpoint();
    boolean whole = one.info().topology() == Topology.CLUSTER || !BARE.matcher(endpoint).matches();
    return PostingBackend.inner(one).equals(PostingBackend.inner(other))
        || (whole && endpoint.equals(other.info().endpoint()));
  }

  @Override
  public LeasedLock handle() {
    return lock;
  }

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public Member with(LeaseTerms lease) {
    return new MemberHandle(lock.with(lease));
  }

  @Override
  public Member withMaxHold(Duration max) {
    return new MemberHandle(lock.withMaxHold(max));
  }

  @Override
  public Pending begin() {
    if (lock.lockAgain()) {
      return () -> true;
    }
    Waiter waiter = lock.ready(lock.impatient());
    Pending begun = told(waiter, () -> engine.gates().begin(keys, waiter, engine.store()::send));
    return finishing(begun, waiter);
  }

  @Override
  public boolean joins(Member other) {
    return other instanceof MemberHandle that
        && engine == that.engine
        && lock.leaseTerms().equals(that.lock.leaseTerms())
        && keys.kind().joins()
        && that.keys.kind().joins()
        && (engine.store().anyKeys() || Names.tag(key()).equals(Names.tag(that.key())));
  }

  @Override
  public Batch batch() {
    return new Batch(engine.store());
  }

  @Override
  public @Nullable Pending begin(Batch batch) {
    if (engine.gates().holdOfCurrentThread(keys) != null) {
      return null; // it locks again, without a command
    }
    int before = batch.size();
    Waiter waiter = Waiter.together(lock.leaseTerms(), engine.store().now());
    Pending begun = told(waiter, () -> engine.gates().begin(keys, waiter, batch::add));
    return batch.size() > before ? finishing(begun, waiter) : null;
  }

  private Pending finishing(Pending begun, Waiter waiter) {
    return () -> {
      try {
        boolean acquired = told(waiter, begun::finish);
        return (acquired || !waiter.isTogether()) && lock.reported(acquired, waiter);
      } finally {
        waiter.restoreInterrupt();
      }
    };
  }

  @Override
  public Pending unlock(Batch batch, Duration after) {
    return lock.unlock(after, batch::add);
  }

  /** Runs a step of an attempt. If it throws, the attempt is over, and listeners are told. */
  private <T> T told(Waiter waiter, Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error e) {
      engine.events().attempts().notAcquired(keys, waiter, e, engine.store().now());
      throw e;
    }
  }

  @Override
  public String place() {
    return engine.store().endpoint() + ' ' + keys.lock() + ' ' + engine.store().clientId().text();
  }

  @Override
  public String key() {
    return keys.lock();
  }

  @Override
  public Set<String> marks() {
    String endpoint = engine.store().endpoint();
    String store = BARE.matcher(endpoint).matches() ? engine.store().clientId().text() : endpoint;
    return Set.of(store + ' ' + keys.lock(), store + ' ' + keys.queue());
  }

  @Override
  public String voter() {
    return engine.store().endpoint() + ' ' + engine.store().options().keyPrefix();
  }

  @Override
  public boolean isRenewed() {
    return lock.leaseTerms().renewed();
  }

  @Override
  public boolean mayBeKept() {
    return lock.leaseTerms().renewed()
        && lock.leaseTerms().maxHold() == LeaseTerms.UNLIMITED
        && engine.store().options().maxHold() == null;
  }

  @Override
  public boolean wouldWaitForItself() {
    return lock.wouldWaitForItself();
  }

  @Override
  public Duration lease() {
    return Duration.ofNanos(lock.leaseTerms().nanos());
  }

  // The server

  @Override
  public BackendInfo store() {
    return engine.store().backend().info();
  }

  @Override
  public CompletableFuture<ServerFacts> server() {
    return engine
        .store()
        .backend()
        .executeAsync(engine.store().scripts().identify(keys))
        .thenApply(ServerFacts::of);
  }

  @Override
  public void checkUnused() {
    engine.voter().checkUnused(keys);
  }

  @Override
  public void startVoting(VotingSet set) {
    engine.voter().startVoting(keys, set);
  }

  @Override
  public CompletableFuture<Long> accept(long token, VotingSet set) {
    return engine.voter().accept(keys, token, set);
  }

  // Leases

  @Override
  public void request(long wait, CompletableFuture<LeaseOutcome> result) {
    request(null, wait, result);
  }

  @Override
  public void vote(VotingSet set, long wait, CompletableFuture<LeaseOutcome> result) {
    request(set, wait, result);
  }

  private void request(@Nullable VotingSet set, long wait, CompletableFuture<LeaseOutcome> result) {
    Wanted wanted = Wanted.ofMember(keys, lock.leaseTerms(), set);
    Runnable unused = engine.requests().start(wanted, wait, false, result);
  }

  // The service

  @Override
  public TimeSource time() {
    return engine.store().time();
  }

  @Override
  public Executor executor() {
    return engine.events()::execute;
  }

  @Override
  public void checkOpen() {
    engine.store().checkOpen(keys);
  }

  @Override
  public Registration onClose(Runnable task) {
    return engine.requests().onClose(task);
  }

  @Override
  public void awaitDeparted() {
    engine.store().awaitDeparted(keys);
  }

  @Override
  public ThreadLeases threadLeases() {
    return engine.threadLeases();
  }

  @Override
  public Registration onLeaseChange(LeaseEvents.MemberListener listener) {
    return engine.events().addOfMember(keys.lock(), listener);
  }

  @Override
  public @Nullable Thread loserOf(String acquisitionId) {
    return engine.lostHolds().loserOf(acquisitionId);
  }

  /** Members of one lock of one service are equal, also with different leases. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MemberHandle that && lock.equals(that.lock);
  }

  @Override
  public int hashCode() {
    return lock.hashCode();
  }

  @Override
  public String toString() {
    return lock.toString();
  }
}
