package io.mortise.internal.composite;

import io.mortise.LeaderElection;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.Registration;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.MemberHandle;
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
   * under it. So a close() that has had it knows that all is sent, and then waits for the answers.
   *
   * The executor of the service runs all callbacks but one. close() tells onRevoked itself, since
   * it may be called by the only thread of the executor.
   */
  private static final Logger log = LoggerFactory.getLogger(Election.class);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_AFTER_REFUSAL = Duration.ofSeconds(30);
  private static final Duration LONGEST_AFTER_FAILURE = Duration.ofMinutes(1);
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

  /** What the next pause is, after a request that failed, and after an onElected that threw. */
  private Duration afterRefusal = FIRST_PAUSE;

  private Duration afterFailure = FIRST_PAUSE;

  private Election(LeasedLock lock, Leader leader, List<Member> members) {
    this.lock = lock;
    this.leader = leader;
    this.members = members;
    time = MemberTime.of(members);
    executor = members.get(0).executor();
  }

  /** Joins with a fenced lock of one service, or a fenced Redlock. */
  public static LeaderElection join(LeasedLock lock, Leader leader) {
    List<Member> members = members(Objects.requireNonNull(lock, "lock"));
    Objects.requireNonNull(leader, "leader");
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

  private static List<Member> members(LeasedLock lock) {
    return lock instanceof QuorumLock red
        ? red.members().all()
        : List.of(
            MemberHandle.of(lock)
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "%s is a %s; an election needs a lock of LockService.getFencedLock or RedLock.fenced"
                            .formatted(lock, lock.getClass().getName()))));
  }

  @Override
  public String name() {
    return lock.name();
  }

  @Override
  public boolean isLeader() {
    Term now = term;
    return now != null && now.leads();
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
      if (isOver()) {
        return null;
      }
      CompletableFuture<Lease> request = lock.async().acquire();
      if (isOverAfter(request)) {
        withdraw();
      }
      return request;
    } finally {
      sending.unlock();
    }
  }

  private synchronized boolean isOverAfter(CompletableFuture<Lease> request) {
    pausing = null;
    asked = request;
    return over;
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
    afterRefusal = FIRST_PAUSE;
    term = new Term(lease);
    return term;
  }

  private void refused(@Nullable Throwable failure) {
    if (failure instanceof LockServiceClosedException) {
      Term unused = leave();
    } else if (!isOver()) {
      Duration pause = nextAfterRefusal();
      if (pause.equals(FIRST_PAUSE)) {
        log.warn(
            "'{}': this candidate has no place, and asks until it has: {}",
            name(),
            String.valueOf(failure));
      }
      pause(pause);
    }
  }

  private synchronized Duration nextAfterRefusal() {
    Duration now = afterRefusal;
    afterRefusal = doubled(now, LONGEST_AFTER_REFUSAL);
    return now;
  }

  private synchronized Duration nextAfterFailure() {
    Duration now = afterFailure;
    afterFailure = doubled(now, LONGEST_AFTER_FAILURE);
    return now;
  }

  private static Duration doubled(Duration last, Duration most) {
    Duration next = last.multipliedBy(2);
    return next.compareTo(most) < 0 ? next : most;
  }

  private synchronized void pause(Duration pause) {
    if (!over) {
      pausing = time.schedule(this::stand, pause);
    }
  }

  // Leading

  private void lead(Term elected) {
    log.info("'{}': this candidate leads in term {}", name(), elected.number());
    MergedLease.staysLong(elected.lease());
    Lease unused = elected.lease().onLost(change -> lost(elected, change));
    boolean works = tell(elected, "onElected", told -> told.onElected(elected.number()));
    elected.begins();
    if (works) {
      works();
    } else {
      elected.ends(new Term.End(Optional.empty(), nextAfterFailure()));
    }
    revoke(elected);
  }

  private synchronized void works() {
    afterFailure = FIRST_PAUSE;
  }

  private void lost(Term elected, LeaseChange change) {
    elected.ends(new Term.End(change.cause(), Duration.ZERO));
    revoke(elected);
  }

  private void revoke(Term ended) {
    CompletableFuture<Void> released = giveUp(ended);
    if (released != null) {
      CompletableFuture<Void> unused = released.whenComplete((done, lost) -> goOn(ended));
    }
  }

  /**
   * Tells that a term has ended and then gives its lock back, if it is time to and nobody else
   * does. Returns the answer to that, or null.
   */
  private @Nullable CompletableFuture<Void> giveUp(Term ended) {
    if (!ended.isToBeRevoked()) {
      return null;
    }
    tellRevoked(ended);
    CompletableFuture<Void> released = ended.lease().releaseAsync();
    ended.told().complete(null);
    return released;
  }

  private void tellRevoked(Term ended) {
    Optional<LossCause> loss = Objects.requireNonNull(ended.end()).loss();
    log.info(
        "'{}': this candidate leads no more, term {} ended: {}",
        name(),
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
      log.warn("'{}': {} failed in term {}", name(), what, of.number(), e);
      return false;
    } finally {
      of.tells(null);
    }
  }

  private void goOn(Term ended) {
    Duration pause = Objects.requireNonNull(ended.end()).pause();
    synchronized (this) {
      term = null;
    }
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
    boolean told = leading != null && endHere(leading);
    if (here) {
      return; // it goes on when the callback has returned
    }
    if (leading != null) {
      awaitTold(leading);
    }
    members.forEach(Member::awaitDeparted);
    if (leading != null && told) {
      goOn(leading);
    }
  }

  /** The term ends. Returns whether this call has told that, and begun to give the lock back. */
  private boolean endHere(Term leading) {
    leading.ends(new Term.End(Optional.empty(), Duration.ZERO));
    return giveUp(leading) != null;
  }

  private void awaitTold(Term ended) {
    try {
      Futures.await(ended.told().copy(), time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
    Trampoline.step(this::takeBack);
  }

  private void takeBack() {
    sending.lock();
    try {
      CompletableFuture<Lease> request = takeAsked();
      if (request != null && !request.cancel(false) && !request.isCompletedExceptionally()) {
        CompletableFuture<Void> unused = request.join().releaseAsync();
      }
    } finally {
      sending.unlock();
    }
  }

  private synchronized @Nullable CompletableFuture<Lease> takeAsked() {
    CompletableFuture<Lease> request = asked;
    asked = null;
    return request;
  }

  @Override
  public String toString() {
    Term now = term;
    String state =
        now != null && now.leads()
            ? "leads in term " + now.number()
            : isOver() ? "closed" : "does not lead";
    return "LeaderElection[" + name() + ", " + state + ']';
  }
}
