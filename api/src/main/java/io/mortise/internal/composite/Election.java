package io.mortise.internal.composite;

import io.mortise.LeaderElection;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.Registration;
import io.mortise.internal.concurrent.Backoff;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.MemberHandle;
import io.mortise.internal.wire.Names;
import io.mortise.spi.TimeSource;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate of an election: it requests a lease, leads while it has it, and requests the next
 * one. Thread-safe.
 */
public final class Election implements LeaderElection {
  /* Overview
   *
   *   ASKS     a lease is requested               -> LEADS with the lease, PAUSES if the store fails
   *   LEADS    there is a Term, until its lease is given back              -> PAUSES, or ASKS at once
   *   PAUSES   a timer runs                                                -> ASKS
   *   OVER     closed, or its service is. No request is sent from here on
   *
   * Each state begins when the one before it has ended, so callbacks follow one another, whatever
   * the executor does. Transitions are under this object's monitor, and so are those of a Term
   * under its own. Nothing is called in a monitor that sends a command or runs a callback.
   *
   * A request is sent and taken back under the lock `sending`, in a step, so that no listener runs
   * under it. A close() first says that the candidate is over, and then takes that lock. So it finds
   * each request that was sent, none follows, and then it waits for the answers.
   *
   * The executor of the service runs all callbacks but one. close() tells onRevoked itself, since
   * it may be called by the only thread of the executor.
   */
  private static final Logger log = LoggerFactory.getLogger(Election.class);
  private static final String NEEDED =
      "an election needs a lock of LockService.getFencedLock or RedLock.fenced";
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofDays(10_000);

  private final LeasedLock lock;
  private final Leader leader;
  private final List<Member> members;
  private final TimeSource time;
  private final Executor executor;
  private final List<Registration> services = new CopyOnWriteArrayList<>();
  private final ReentrantLock sending = new ReentrantLock();

  private boolean over;
  private @Nullable CompletableFuture<Lease> asked;
  private @Nullable Timer pausing;
  private volatile @Nullable Term term;

  // Used by one state after the other

  private final Backoff afterRefusal = new Backoff(FIRST_PAUSE, Duration.ofSeconds(30));
  private final Backoff afterFailure = new Backoff(FIRST_PAUSE, Duration.ofMinutes(1));

  private Election(LeasedLock lock, Leader leader, List<Member> members) {
    this.lock = lock;
    this.leader = leader;
    this.members = members;
    time = MemberTime.of(members);
    executor = members.get(0).executor();
  }

  /** Joins with a fenced lock of one service, or a fenced Redlock. */
  public static LeaderElection join(LeasedLock lock, Leader leader) {
    Objects.requireNonNull(lock, "lock");
    Objects.requireNonNull(leader, "leader");
    List<Member> members =
        lock instanceof QuorumLock<?> red
            ? red.members().all()
            : List.of(MemberHandle.of(lock, NEEDED));
    members.forEach(Member::checkOpen);
    Election election = new Election(lock, leader, members);
    election.start();
    return election;
  }

  private void start() {
    members.forEach(each -> services.add(each.onClose(this::serviceClosed)));
    if (isOver()) {
      Term unused = leave(); // one of them was closed meanwhile
    }
    stand();
  }

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public boolean isLeader() {
    return term().isPresent();
  }

  @Override
  public OptionalLong term() {
    Term now = term;
    return now != null && now.leads() ? OptionalLong.of(now.number()) : OptionalLong.empty();
  }

  // Standing

  /**
   * Not by whenCompleteAsync: a thread of the executor might then run what withdraws a request,
   * after the cancel that it follows from has returned.
   */
  private void stand() {
    Trampoline.step(() -> {
      CompletableFuture<Lease> request = ask();
      if (request != null) {
        CompletableFuture<Lease> unused =
            request.whenComplete(
                (lease, failure) -> executor.execute(() -> answered(lease, failure)));
      }
    });
  }

  private @Nullable CompletableFuture<Lease> ask() {
    sending.lock();
    try {
      return isOver() ? null : asks(lock.async().acquire());
    } finally {
      sending.unlock();
    }
  }

  private synchronized CompletableFuture<Lease> asks(CompletableFuture<Lease> request) {
    pausing = null;
    asked = request;
    return request;
  }

  private synchronized boolean isOver() {
    return over;
  }

  private void answered(@Nullable Lease lease, @Nullable Throwable failure) {
    if (lease == null) {
      refused(failure);
      return;
    }
    Term begun = begin(lease);
    if (begun == null) {
      withdraw(); // closed meanwhile
    } else {
      lead(begun);
    }
  }

  private synchronized @Nullable Term begin(Lease lease) {
    if (over) {
      return null;
    }
    asked = null;
    afterRefusal.reset();
    term = new Term(lease);
    return term;
  }

  private void refused(@Nullable Throwable failure) {
    if (failure instanceof LockServiceClosedException) {
      Term unused = leave();
    } else if (!isOver()) {
      Duration pause = Duration.ofNanos(afterRefusal.next());
      if (pause.equals(FIRST_PAUSE)) {
        log.warn(
            "'{}': this candidate has no place, and asks until it has: {}",
            Names.shown(name()),
            String.valueOf(failure));
      }
      pause(pause);
    }
  }

  private void pause(Duration pause) {
    try {
      setTimer(pause);
    } catch (Throwable e) { // an Error too: it would never stand again
      log.warn("'{}': this candidate cannot set a timer yet", Names.shown(name()), e);
      executor.execute(() -> {
        time.parkNanos(this, FIRST_PAUSE.toNanos());
        pause(pause.minus(FIRST_PAUSE));
      });
    }
  }

  private synchronized void setTimer(Duration pause) {
    if (!over) {
      pausing = time.schedule(this::stand, pause);
    }
  }

  // Leading

  private void lead(Term elected) {
    log.info("'{}': this candidate leads in term {}", Names.shown(name()), elected.number());
    MergedLease.staysLong(elected.lease());
    Lease unused = elected.lease().onLost(change -> lost(elected, change));
    boolean works = tell(elected, "onElected", told -> told.onElected(elected.number()));
    if (works) {
      afterFailure.reset();
    } else {
      elected.ends(new Term.End(Optional.empty(), Duration.ofNanos(afterFailure.next())));
    }
    elected.begins(); // from here on it may be over, and the next one may begin
    revoke(elected);
  }

  private void lost(Term elected, LeaseChange change) {
    elected.ends(new Term.End(change.cause(), Duration.ZERO));
    revoke(elected);
  }

  /** Tells that a term has ended and gives its lock back, if it is time to and nobody else does. */
  private void revoke(Term ended) {
    Term.End why = ended.toBeRevoked();
    if (why != null) {
      tellRevoked(ended, why.loss());
      CompletableFuture<Void> released = ended.lease().releaseAsync();
      ended.told().complete(null);
      CompletableFuture<Void> unused =
          released.whenComplete((done, lost) -> goOn(ended, why.pause()));
    }
  }

  private void tellRevoked(Term ended, Optional<LossCause> loss) {
    log.info(
        "'{}': this candidate leads no more, term {} ended: {}",
        Names.shown(name()),
        ended.number(),
        loss.map(LossCause::name).orElse("it gave up"));
    boolean unused = tell(ended, "onRevoked", told -> told.onRevoked(ended.number(), loss));
  }

  /** Calls the application. Returns whether that returned normally. */
  private boolean tell(Term of, String what, Consumer<Leader> call) {
    of.tells(Thread.currentThread());
    try {
      call.accept(leader);
      return true;
    } catch (Throwable e) { // an Error too: the lock's state does not depend on a callback
      log.warn("'{}': {} failed in term {}", Names.shown(name()), what, of.number(), e);
      return false;
    } finally {
      of.tells(null);
    }
  }

  private void goOn(Term ended, Duration pause) {
    term = null;
    if (pause.isNegative() || pause.isZero()) {
      stand();
    } else {
      pause(pause);
    }
    ended.over().complete(null);
  }

  // Ending

  @Override
  public CompletableFuture<Void> stepDown(Duration pause) {
    if (Objects.requireNonNull(pause, "pause").compareTo(LONGEST_PAUSE) > 0) {
      throw new IllegalArgumentException(
          "pause " + pause + " is longer than 10,000 days; to stand no more, close the election");
    }
    Term leading = term;
    if (leading == null) {
      return CompletableFuture.completedFuture(null);
    }
    endLater(leading, new Term.End(Optional.empty(), pause));
    return leading.over().copy();
  }

  private void endLater(Term leading, Term.End why) {
    leading.ends(why);
    executor.execute(() -> revoke(leading));
  }

  private void serviceClosed() {
    Term leading = leave();
    if (leading != null) {
      endLater(leading, new Term.End(Optional.of(LossCause.SERVICE_CLOSED), Duration.ZERO));
    }
  }

  @Override
  public void close() {
    Term leading = term;
    boolean here = leading != null && leading.isToldHere();
    if (!here) {
      time.checkMayPark();
    }
    leading = leave();
    withdraw();
    if (leading != null) {
      leading.ends(new Term.End(Optional.empty(), Duration.ZERO));
      revoke(leading);
    }
    if (!here) { // else it goes on when the callback has returned
      awaitLeft(leading);
    }
  }

  /** It does not wait for the executor, which may have only the calling thread. */
  private void awaitLeft(@Nullable Term last) {
    try {
      if (last != null) {
        Futures.await(last.told().copy(), time);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    members.forEach(Member::awaitDeparted);
    if (last != null) {
      last.over().complete(null);
    }
  }

  /** Is a candidate no more. Returns the term that has not ended yet. */
  private @Nullable Term leave() {
    synchronized (this) {
      over = true;
      if (pausing != null) {
        pausing.close();
      }
    }
    services.forEach(Registration::close);
    return term;
  }

  /** Takes the request back, or gives back its lease that has arrived already. */
  private void withdraw() {
    Trampoline.step(() -> {
      sending.lock();
      try {
        CompletableFuture<Lease> request = takeAsked();
        if (request != null && !request.cancel(false) && !request.isCompletedExceptionally()) {
          CompletableFuture<Void> unused = request.join().releaseAsync();
        }
      } finally {
        sending.unlock();
      }
    });
  }

  private synchronized @Nullable CompletableFuture<Lease> takeAsked() {
    CompletableFuture<Lease> request = asked;
    asked = null;
    return request;
  }

  @Override
  public String toString() {
    OptionalLong now = term();
    String state =
        now.isPresent()
            ? "leads in term " + now.getAsLong()
            : isOver() ? "closed" : "does not lead";
    return "LeaderElection[" + Names.shown(name()) + ", " + state + ']';
  }
}
