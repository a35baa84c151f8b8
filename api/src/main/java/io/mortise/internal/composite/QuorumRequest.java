package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LockServiceClosedException;
import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.Registration;
import io.mortise.internal.engine.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.NoVoteException;
import io.mortise.internal.engine.SerialExecutor;
import io.mortise.internal.lock.Member;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease request for a majority of the members of a Redlock, by the algorithm of <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">redis.io</a>.
 */
final class QuorumRequest {
  /* Overview
   *
   *   ROUND     asks all members that it does not hold, at the same time
   *   WAITING   in the queues of all busy members, and holds none
   *   PAUSE     until the next round
   *   OVER      won, refused, failed or withdrawn
   *
   * A round is won as soon as a majority has answered yes and their leases, less the drift of
   * clocks, are not over. Each lease counts from before its own command was sent. A round is lost
   * as soon as a majority is no longer possible. Then the members that were acquired are given back
   * in the background. A member that has not answered yet is not asked once more. Its answer counts
   * in the round in which it comes. A lease that comes between rounds is given back.
   *
   * WAITING is in the queues of all busy members. So a holder that keeps a minority for itself
   * delays nobody, and grants alone can make a majority (docs/decisions/0030). The first grant is a
   * hint: the holder is leaving. Then:
   *
   *   - A few rounds follow in quick succession. They try the other members, and the grants from
   *     the other queues come in. Members that came by a grant are kept.
   *   - Without a majority after that, all members are given back, so no circle of waiters can
   *     close: each member that is given back goes to the next waiter in its queue.
   *
   * A wait ends after 2.5 to 5 s, and the next round asks all members again. One more round does so
   * when the time is over. The end of a wait does not wait for a member whose answer is still out:
   * the question to it is withdrawn.
   *
   * With a quarantine, every question of a request is a vote: the script that acquires a member also
   * checks that its server may vote (vote.lua). A grant is confirmed by such a question. A member
   * that gives no vote counts as one without an answer. Healing needs no vote: see QuorumLease.
   *
   * The members' answers come on any thread, also on the thread that asks. What follows from them
   * runs as tasks, one after the other.
   */
  private enum Phase {
    ROUND,
    WAITING,
    PAUSE,
    OVER
  }

  private static final Logger log = LoggerFactory.getLogger(QuorumRequest.class);
  private static final Duration LONGEST_WAIT_FOR_HINT = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final int QUICK_ROUNDS = 6;

  private final QuorumMembers of;
  private final QuorumOwner owner;
  private final long wait;
  private final long start;
  private final CompletableFuture<LeaseOutcome> claimed;

  private final SerialExecutor turns = new SerialExecutor();
  private final Map<Member, Lease> held = new LinkedHashMap<>();
  private final Map<Member, Verdict> verdicts = new HashMap<>();

  /**
   * The last question to each member. A question without an answer is in {@code tries} or in {@code
   * waits}.
   */
  private final Map<Member, CompletableFuture<LeaseOutcome>> asked = new HashMap<>();

  private final Set<Member> tries = new HashSet<>();
  private final Set<Member> waits = new HashSet<>();
  private final Set<Member> hints = new HashSet<>();

  /** Members without an answer in time when they were last tried. */
  private final Set<Member> silent = new HashSet<>();

  private final List<Registration> closings = new ArrayList<>();
  private @Nullable Timer pausing;
  private Phase phase = Phase.PAUSE;
  private int rounds;
  private int quickRounds;
  private long hintedAt;
  private long waitsUntil;
  private boolean troubled;
  private boolean won;

  private QuorumRequest(
      QuorumMembers of, QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> claimed) {
    this.of = of;
    this.owner = owner;
    this.wait = wait;
    this.claimed = claimed;
    start = of.time().nanoTime();
  }

  /** As {@link LeaseSource#request}, for a majority. */
  static void start(
      QuorumMembers of, QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> result) {
    QuorumRequest request = new QuorumRequest(of, owner, wait, result);
    CompletableFuture<LeaseOutcome> unused =
        result.whenComplete((value, failure) -> request.turns.run(request::ended));
    request.turns.run(request::round);
  }

  private void ended() {
    closings.forEach(Registration::close);
    if (pausing != null) {
      pausing.close();
    }
    if (phase != Phase.OVER) {
      phase = Phase.OVER;
      giveUp(tries);
      giveUp(waits);
      releaseAllBut(Set.of());
    }
  }

  private Timer later(Duration delay, Runnable task) {
    return of.time().schedule(() -> turns.run(task), delay);
  }

  // Asking

  private void ask(Member member, long nanos) {
    CompletableFuture<LeaseOutcome> one = new CompletableFuture<>();
    asked.put(member, one);
    CompletableFuture<LeaseOutcome> unused =
        one.whenComplete(
            (answer, failure) -> turns.run(() -> answered(member, one, answer, failure)));
    of.ask(member, nanos, one);
  }

  /** Ends the questions that have no answer by then. The timer is closed when all have one. */
  private void limit(
      List<Member> members, Duration longest, Consumer<CompletableFuture<LeaseOutcome>> end) {
    List<CompletableFuture<LeaseOutcome>> questions = members.stream().map(this::asked).toList();
    Timer timer = later(longest, () -> questions.forEach(end));
    CompletableFuture<Void> unused = Futures.settled(questions).thenRun(timer::close);
  }

  private void giveUp(Set<Member> unanswered) {
    unanswered.forEach(each -> asked(each).cancel(false));
    unanswered.clear();
  }

  private CompletableFuture<LeaseOutcome> asked(Member member) {
    return Objects.requireNonNull(asked.get(member));
  }

  private void answered(
      Member member,
      CompletableFuture<LeaseOutcome> one,
      @Nullable LeaseOutcome answer,
      @Nullable Throwable failure) {
    Lease lease = answer == null ? null : answer.lease();
    boolean last = isLast(member, one);
    boolean tried = last && tries.remove(member);
    boolean waited = last && waits.remove(member);
    if (tried || waited) {
      keep(member, answer, failure, waited);
    } else if (lease != null && !(won && last)) { // or else the lease that was won takes it
      MergedLease.giveBack(lease);
    }
  }

  @SuppressWarnings("ReferenceEquality") // compares identity
  private boolean isLast(Member member, CompletableFuture<LeaseOutcome> one) {
    return asked.get(member) == one;
  }

  private void keep(
      Member member, @Nullable LeaseOutcome answer, @Nullable Throwable failure, boolean waited) {
    if (failure instanceof LockServiceClosedException) {
      claimed.completeExceptionally(failure);
      return;
    }
    Lease lease = answer == null ? null : answer.lease();
    boolean late = phase != Phase.ROUND && !waited && quickRounds == 0;
    if (lease != null && late) {
      giveBack(member, lease); // nothing is held between rounds
    } else if (lease != null) {
      held.put(member, lease);
    }
    if (lease != null && waited) {
      hints.add(member);
    }
    if (lease != null || !waited) {
      verdicts.put(member, verdict(member, answer, failure));
    }
    if (failure instanceof TimeoutException) {
      silent.add(member);
    } else {
      silent.remove(member);
    }
    troubled |= waited && failure != null;
    switch (phase) {
      case ROUND -> decide();
      case WAITING -> {
        if (waited) {
          waited(lease != null);
        } else if (isHeldByOther(member)) {
          join(List.of(member));
        }
      }
      case PAUSE -> {
        boolean unused = isMajority() && win();
      }
      case OVER -> {}
    }
  }

  private static Verdict verdict(
      Member member, @Nullable LeaseOutcome answer, @Nullable Throwable failure) {
    String place = member.place();
    if (failure instanceof NoVoteException no) {
      return new Verdict(place, no.answer(), String.valueOf(no.getMessage()));
    }
    if (answer == null) {
      Answer why = failure instanceof TimeoutException ? Answer.TOO_SLOW : Answer.UNREACHABLE;
      return new Verdict(place, why, String.valueOf(failure == null ? why : failure.getMessage()));
    }
    return answer.lease() != null
        ? new Verdict(place, Answer.ACQUIRED, "")
        : new Verdict(place, Answer.HELD, "held by " + answer.heldBy());
  }

  // One round

  private void round() {
    if (phase == Phase.OVER || claimed.isDone()) {
      return;
    }
    phase = Phase.ROUND;
    rounds++;
    List<Member> unasked = of.all().stream().filter(this::isUnasked).toList();
    tries.addAll(unasked);
    verdicts.keySet().removeAll(tries);
    unasked.forEach(each -> ask(each, LeaseSource.AT_ONCE));
    limit(unasked, of.nodeTimeout(), this::tooSlow);
    decide();
  }

  private boolean isUnasked(Member member) {
    return !isHeld(member) && !waits.contains(member) && !tries.contains(member);
  }

  private boolean isHeld(Member member) {
    Lease lease = held.get(member);
    return lease != null && lease.isValid();
  }

  private void tooSlow(CompletableFuture<LeaseOutcome> question) {
    String text = "no answer within " + of.nodeTimeout().toMillis() + " ms";
    question.completeExceptionally(new TimeoutException(text));
  }

  private long yes() {
    return held.values().stream().filter(Lease::isValid).count();
  }

  private boolean isMajority() {
    return yes() >= of.quorum();
  }

  /**
   * Decides the round. It does not wait for grants that may still come: the pauses between rounds
   * do.
   */
  private void decide() {
    if (isMajority() && win()) {
      return;
    }
    long hoped = tries.stream().filter(this::isHopedFor).count();
    if (hoped == 0 || yes() + hoped < of.quorum()) {
      lose();
    }
  }

  /**
   * Whether the round waits for the member. After a hint, it does not wait for a member that was
   * silent before.
   */
  private boolean isHopedFor(Member member) {
    return quickRounds == 0 || !silent.contains(member);
  }

  private boolean win() {
    held.values().removeIf(each -> !each.isValid()); // late ones are another acquisition
    QuorumLease lease = new QuorumLease(of, owner, held);
    if (!lease.isValid()) {
      return false;
    }
    phase = Phase.OVER;
    won = true;
    lease.watch(others());
    if (!claimed.complete(new LeaseOutcome(lease, null))) {
      MergedLease.giveBack(lease);
    }
    return true;
  }

  /**
   * The answers of the members that are not held. A member that it waits for has another holder.
   */
  private Map<Member, CompletableFuture<LeaseOutcome>> others() {
    Map<Member, CompletableFuture<LeaseOutcome>> others = new HashMap<>(asked);
    others.keySet().removeAll(held.keySet());
    for (Member each : waits) {
      if (asked(each).cancel(false)) {
        others.put(each, CompletableFuture.completedFuture(new LeaseOutcome(null, "another")));
      }
    }
    waits.clear();
    tries.clear(); // the lease gets their answers
    return others;
  }

  private void lose() {
    log.debug("{}: round {} was lost: {}", of.name(), rounds, verdicts.values());
    if (followsHint()) {
      quickRounds++;
      releaseAllBut(hints);
      pause(FIRST_PAUSE);
      return;
    }
    quickRounds = 0;
    giveUp(waits);
    hints.clear();
    releaseAllBut(Set.of());
    next();
  }

  private boolean followsHint() {
    return quickRounds > 0
        && quickRounds < QUICK_ROUNDS
        && left() > 0
        && of.time().nanoTime() - hintedAt < of.nodeTimeout().toNanos();
  }

  private void releaseAllBut(Set<Member> kept) {
    held.entrySet()
        .removeIf(entry -> {
          boolean release = !kept.contains(entry.getKey());
          if (release) {
            giveBack(entry.getKey(), entry.getValue());
          }
          return release;
        });
  }

  /** Releases a member. From now on its answer is that of the release: it is not held. */
  private void giveBack(Member member, Lease lease) {
    CompletableFuture<Void> released = MergedLease.memberLease(lease).releasing(0);
    asked.put(member, released.handle((done, lost) -> new LeaseOutcome(null, "nobody")));
  }

  // Between two rounds

  private void next() {
    long quiet = verdicts.values().stream().filter(QuorumRequest::isNoAnswer).count();
    List<Member> busy = of.all().stream().filter(this::isHeldByOther).toList();
    boolean unavailable = quiet > of.spare();
    boolean over = wait == LeaseSource.NOT || left() <= 0;
    if (unavailable && (over || wait == LeaseSource.FOREVER)) {
      fail();
    } else if (over) {
      end(busy);
    } else if (busy.isEmpty() || unavailable) {
      pause(backoff());
    } else {
      awaitHint(busy);
    }
  }

  private static boolean isNoAnswer(Verdict verdict) {
    return verdict.answer() != Answer.ACQUIRED && verdict.answer() != Answer.HELD;
  }

  private boolean isHeldByOther(Member member) {
    Verdict verdict = verdicts.get(member);
    return verdict != null && verdict.answer() == Answer.HELD;
  }

  private long left() {
    return wait == LeaseSource.FOREVER ? wait : wait - (of.time().nanoTime() - start);
  }

  private void pause(Duration longest) {
    phase = Phase.PAUSE;
    heedClosing();
    pausing = later(jitter(longest), this::round);
  }

  private Duration backoff() {
    Duration longer = FIRST_PAUSE.multipliedBy(1L << Math.min(rounds, 7));
    return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  private Duration jitter(Duration longest) {
    long nanos = Math.min(longest.toNanos(), Math.max(1, left()));
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos) + 1);
  }

  private void awaitHint(List<Member> busy) {
    phase = Phase.WAITING;
    troubled = false;
    heedClosing();
    long longest = LONGEST_WAIT_FOR_HINT.toNanos();
    long nanos = Math.min(left(), longest / 2 + jitter(LONGEST_WAIT_FOR_HINT).toNanos() / 2);
    waitsUntil = of.time().nanoTime() + nanos;
    join(busy);
  }

  /**
   * Joins the queues of busy members, for the rest of the wait. Some members answer that they are
   * busy only after the round is lost.
   */
  private void join(List<Member> busy) {
    long nanos = Math.max(1, waitsUntil - of.time().nanoTime());
    waits.addAll(busy);
    busy.forEach(each -> ask(each, nanos));
    limit(busy, Duration.ofNanos(nanos), QuorumRequest::waitedInVain);
  }

  /**
   * Ends a question as its member does when the time is over. This comes first if a command to that
   * member is out.
   */
  private static void waitedInVain(CompletableFuture<LeaseOutcome> question) {
    question.complete(new LeaseOutcome(null, null));
  }

  private void waited(boolean granted) {
    if (granted) {
      quickRounds = 1;
      hintedAt = of.time().nanoTime();
      round();
    } else if (waits.isEmpty() && troubled) {
      pause(backoff());
    } else if (waits.isEmpty()) {
      round();
    }
  }

  // The end without a lease

  /** From now on it ends when the service of any member is closed. */
  private void heedClosing() {
    if (closings.isEmpty()) {
      of.all().forEach(each -> closings.add(each.onClose(() -> closed(each))));
    }
  }

  private void closed(Member member) {
    claimed.completeExceptionally(
        new LockServiceClosedException(
            "Redlock '%s' was waited for when the service of its member %s was closed; open a new service, and make the Redlock of its locks"
                .formatted(of.name(), member.place())));
  }

  private void end(List<Member> busy) {
    Verdict first = busy.isEmpty() ? null : verdicts.get(busy.get(0));
    claimed.complete(new LeaseOutcome(null, first == null ? "several others" : first.detail()));
  }

  private String set() {
    return of.voters() == null ? "" : "; this set is [" + of.voters().text() + ']';
  }

  private void fail() {
    List<Verdict> all = of.all().stream().map(verdicts::get).filter(Objects::nonNull).toList();
    String message =
        "Redlock %s: too few of %d members answered, %d are needed (%s)%s; check their servers (docs/troubleshooting.md#quorum)"
            .formatted(of.name(), of.all().size(), of.quorum(), all, set());
    claimed.completeExceptionally(new QuorumException(message, all));
  }
}
