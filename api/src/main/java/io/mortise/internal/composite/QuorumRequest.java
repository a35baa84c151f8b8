package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.internal.composite.Ballot.Question;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.SerialExecutor;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
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
   *   WAITING   in the queues of the gates, and holds none
   *   PAUSE     until the next round
   *   WON       the lease has taken over what was asked and acquired
   *   OVER      refused, failed or withdrawn
   *
   * A round is won as soon as a majority has answered yes and their leases, less the drift of
   * clocks, are not over. Each lease counts from before its own command was sent. A round is lost
   * as soon as a majority is no longer possible. The last one also waits until it is known whether
   * too few have answered. A member that has not answered yet is not asked once more.
   *
   * Contenders must not split the members among themselves. Ballots says in which queues this
   * one waits, and what it keeps after a lost round. One that does not win in some quick rounds
   * gives back everything.
   *
   * So nothing is held without an end while it waits, and no circle of waiters can close. Views of
   * what lives may differ, and then two contenders may both give back. While members are missing,
   * or a gate is not waited for, a waiter looks once per member timeout whether that is so still.
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
    WON,
    OVER
  }

  private static final Logger log = LoggerFactory.getLogger(QuorumRequest.class);
  private static final Duration LONGEST_WAIT_FOR_HINT = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  private final QuorumMembers of;
  private final QuorumOwner owner;
  private final long wait;
  private final long start;
  private final CompletableFuture<LeaseOutcome> claimed;

  private final SerialExecutor tasks = new SerialExecutor();

  private final List<Ballot> ballots;
  private final Ballots all;

  private final List<Registration> closings = new ArrayList<>();
  private @Nullable Timer pausing;
  private Phase phase = Phase.PAUSE;
  private int rounds;
  private int quickRounds;
  private long waitsUntil;

  private QuorumRequest(
      QuorumMembers of, QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> claimed) {
    this.of = of;
    this.owner = owner;
    this.wait = wait;
    this.claimed = claimed;
    ballots = of.all().stream().map(Ballot::new).toList();
    all = new Ballots(of, ballots);
    start = of.time().nanoTime();
  }

  /** As {@link LeaseSource#request}, for a majority. */
  static void start(
      QuorumMembers of, QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> result) {
    QuorumRequest request = new QuorumRequest(of, owner, wait, result);
    CompletableFuture<LeaseOutcome> unused =
        result.whenComplete((value, failure) -> request.tasks.run(request::ended));
    request.tasks.run(request::round);
  }

  private void ended() {
    closings.forEach(Registration::close);
    endPause();
    if (phase != Phase.WON && phase != Phase.OVER) {
      phase = Phase.OVER;
      ballots.forEach(Ballot::giveUp);
      ballots.forEach(Ballot::giveBack);
    }
  }

  private Timer later(Duration delay, Runnable task) {
    return of.time().schedule(() -> tasks.run(task), delay);
  }

  private void endPause() {
    if (pausing != null) {
      pausing.close();
      pausing = null;
    }
  }

  // Asking

  private void ask(List<Ballot> some, Question question, long nanos) {
    for (Ballot ballot : some) {
      CompletableFuture<LeaseOutcome> one = ballot.ask(question);
      CompletableFuture<LeaseOutcome> unused =
          one.whenComplete(
              (answer, failure) -> tasks.run(() -> answered(ballot, one, answer, failure)));
      of.ask(ballot.member, nanos, one);
    }
  }

  /** Ends the questions that have no answer by then. The timer is closed when all have one. */
  private void limit(
      List<Ballot> some, Duration longest, Consumer<CompletableFuture<LeaseOutcome>> end) {
    List<CompletableFuture<LeaseOutcome>> questions = some.stream().map(Ballot::answer).toList();
    Timer timer = later(longest, () -> questions.forEach(end));
    CompletableFuture<Void> unused = Futures.settled(questions).thenRun(timer::close);
  }

  private void answered(
      Ballot ballot,
      CompletableFuture<LeaseOutcome> one,
      @Nullable LeaseOutcome answer,
      @Nullable Throwable failure) {
    Lease lease = answer == null ? null : answer.lease();
    boolean last = ballot.isLast(one);
    if (last && !ballot.isOut(Question.NONE)) {
      heard(ballot, answer, failure);
    } else if (lease != null && !(last && phase == Phase.WON)) { // or else the won lease takes it
      MergedLease.giveBack(lease);
    }
  }

  private void heard(Ballot ballot, @Nullable LeaseOutcome answer, @Nullable Throwable failure) {
    if (failure instanceof LockServiceClosedException) {
      ballot.giveUp();
      claimed.completeExceptionally(failure);
      return;
    }
    boolean waited = ballot.isOut(Question.WAIT);
    ballot.answered(answer, failure);
    if (phase == Phase.ROUND) {
      decide();
    } else if (all.isMajority() && win()) {
      return;
    } else if (!all.kept().contains(ballot)) {
      ballot.giveBack();
      if (phase == Phase.WAITING) {
        goOnWaiting();
      }
    } else if (waited || quickRounds == 0) {
      quickRounds = Math.max(1, quickRounds);
      round();
    }
  }

  // One round

  private void round() {
    if (phase == Phase.OVER || claimed.isDone() || of.servers().refuses(claimed)) {
      return;
    }
    endPause();
    phase = Phase.ROUND;
    rounds++;
    List<Ballot> idle = ballots.stream().filter(Ballot::isIdle).toList();
    ask(idle, Question.TRY, LeaseSource.AT_ONCE);
    limit(idle, of.nodeTimeout(), question -> question.completeExceptionally(of.tooSlow()));
    decide();
  }

  /**
   * Decides the round. It does not wait for grants that may still come: the pauses between rounds
   * do.
   */
  private void decide() {
    if (all.isMajority() && win()) {
      return;
    }
    boolean last = left() <= 0;
    long hoped =
        ballots.stream()
            .filter(each -> each.isOut(Question.TRY) && (last || all.isWorthWaitingFor(each)))
            .count();
    boolean lost = all.held() + hoped < of.quorum() && !(last && mayBeUnavailable(hoped));
    if (hoped == 0 || lost) {
      lose(last);
    }
  }

  /** Whether too few members may have answered in the end, and it is not known yet (rule R3). */
  private boolean mayBeUnavailable(long out) {
    return !isUnavailable() && quiet() + out > of.spare();
  }

  private boolean isUnavailable() {
    return quiet() > of.spare();
  }

  private long quiet() {
    return ballots.stream().filter(Ballot::isQuiet).count();
  }

  private boolean win() {
    Map<Member, Lease> held = new LinkedHashMap<>();
    Map<Member, CompletableFuture<LeaseOutcome>> others = new HashMap<>();
    for (Ballot each : ballots) {
      Lease lease = each.lease();
      if (lease != null && lease.isValid()) { // a late one is another acquisition
        held.put(each.member, lease);
      }
    }
    QuorumLease lease = new QuorumLease(of, owner, held);
    if (!lease.isValid()) {
      return false;
    }
    phase = Phase.WON;
    ballots.stream()
        .filter(each -> !held.containsKey(each.member))
        .forEach(each -> others.put(each.member, each.leave())); // the lease gets their answers
    lease.watch(others);
    if (!claimed.complete(new LeaseOutcome(lease, null))) {
      MergedLease.giveBack(lease);
    }
    return true;
  }

  private void lose(boolean over) {
    log.debug("{}: round {} was lost: {}", Names.shown(of.name()), rounds, all.verdicts());
    List<Ballot> kept = all.kept();
    if (!kept.isEmpty() && quickRounds < all.patience(kept.get(0)) && !over) {
      quickRounds++;
      ballots.stream().filter(each -> !kept.contains(each)).forEach(Ballot::giveBack);
      join(all.queues());
      pause(FIRST_PAUSE);
    } else {
      quickRounds = 0;
      ballots.forEach(Ballot::giveBack);
      next(over);
    }
  }

  // Between two rounds

  private void next(boolean over) {
    if (isUnavailable() && (over || wait == LeaseSource.FOREVER)) {
      claimed.completeExceptionally(all.failure());
    } else if (over) {
      claimed.complete(new LeaseOutcome(null, all.holder()));
    } else {
      heedClosing();
      List<Ballot> queues = all.queues();
      ballots.stream()
          .filter(each -> each.isOut(Question.WAIT) && !queues.contains(each))
          .forEach(Ballot::giveUp);
      phase = Phase.WAITING;
      join(queues);
      if (waits()) {
        lookLater();
      } else {
        pause(backoff());
      }
    }
  }

  private long left() {
    return wait == LeaseSource.FOREVER ? wait : wait - (of.time().nanoTime() - start);
  }

  private void pause(Duration longest) {
    phase = Phase.PAUSE;
    heedClosing();
    endPause();
    pausing = later(jitter(longest), this::round);
  }

  private Duration backoff() {
    Duration longer = FIRST_PAUSE.multipliedBy(1L << Math.min(rounds, 7));
    return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  private Duration jitter(Duration longest) {
    long nanos = Math.max(1, atMostLeft(longest).toNanos());
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos) + 1);
  }

  private Duration atMostLeft(Duration time) {
    return Duration.ofNanos(Math.min(time.toNanos(), Math.max(1, left())));
  }

  /**
   * Whether the answer of a gate is still to come. After the end of the wait, only the gates whose
   * queues it is in count: they end now, and a silent one would make the attempt late.
   */
  private boolean waits() {
    return all.gates().stream()
        .anyMatch(each -> each.isOut(Question.WAIT) || (each.isOut(Question.TRY) && !isOver()));
  }

  private boolean isOver() {
    return of.time().nanoTime() - waitsUntil >= 0;
  }

  /** Joins the queues of members that have another holder, for the rest of the wait. */
  private void join(List<Ballot> queues) {
    List<Ballot> busy = queues.stream().filter(each -> each.isIdle() && each.isBusy()).toList();
    long now = of.time().nanoTime();
    if (ballots.stream().noneMatch(each -> each.isOut(Question.WAIT))) {
      long longest = LONGEST_WAIT_FOR_HINT.toNanos();
      waitsUntil =
          now + Math.min(left(), longest / 2 + jitter(LONGEST_WAIT_FOR_HINT).toNanos() / 2);
    }
    long nanos = Math.max(1, waitsUntil - now);
    ask(busy, Question.WAIT, nanos);
    limit(busy, Duration.ofNanos(nanos), QuorumRequest::waitedInVain);
  }

  /**
   * Ends a question as its member does when the time is over. This comes first if a command to that
   * member is out.
   */
  private static void waitedInVain(CompletableFuture<LeaseOutcome> question) {
    question.complete(new LeaseOutcome(null, null));
  }

  /** Some members answer that they are busy only after the round is lost. */
  private void goOnWaiting() {
    if (!isOver()) {
      join(all.queues());
    }
    if (waits()) {
      lookLater();
    } else if (isOver()) {
      round();
    } else {
      pause(backoff()); // no queue could be waited in
    }
  }

  /**
   * While members are missing, there are fewer gates. So it looks from time to time whether the
   * missing members are the same. It does so too while it is not in the queues of all gates: those
   * that it waits in may die, and then the release of the others is not noticed.
   */
  private void lookLater() {
    boolean waitsAtAllGates = all.gates().stream().allMatch(each -> each.isOut(Question.WAIT));
    if (waitsAtAllGates && ballots.stream().allMatch(Ballot::hasAnswered)) {
      endPause();
    } else if (pausing == null) {
      Duration half = of.nodeTimeout().dividedBy(2);
      pausing = later(atMostLeft(half.plus(jitter(half))), this::round);
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
                .formatted(Names.shown(of.name()), Names.shown(member.place()))));
  }
}
