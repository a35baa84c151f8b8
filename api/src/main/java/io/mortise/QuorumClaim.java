package io.mortise;

import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.engine.Claimed;
import io.mortise.engine.Claimer;
import io.mortise.engine.Member;
import io.mortise.engine.Turns;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A claim of a majority of the members of a red lock: the algorithm of <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">redis.io</a>.
 */
final class QuorumClaim {
  /* Overview
   *
   * A round asks all members at the same time. It is won as soon as a majority has answered yes, and
   * what is left of their leases, less the drift of clocks, is not over: each lease counts from
   * before its own command was sent. It is lost as soon as a majority cannot be had any more. Then
   * what was taken is given back on every member, also those that did not answer, in the background.
   *
   * Between two rounds it waits for a hint: in the queue of the first member that somebody else
   * holds, with nothing in hand. Its grant says that the holder is leaving. Contenders that see the
   * same members wait in the same queue, so the next holder is the first of it, and votes are seldom
   * split. The granted member is kept for a few rounds in quick succession, in which the holder's
   * other releases arrive. Who holds one member only tries the others, so nobody waits in a circle.
   *
   * Members' answers come on any thread, also on that which asks; what follows from them is done in
   * turns.
   */
  private static final Logger log = LoggerFactory.getLogger(QuorumClaim.class);
  private static final Duration LONGEST_WAIT_FOR_HINT = Duration.ofSeconds(5);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final int QUICK_ROUNDS = 6;

  private final RedMembers of;
  private final long wait;
  private final long start;
  private final CompletableFuture<Claimed> claimed;
  private final Consumer<LeaseLost> told;

  private final Turns turns = new Turns();
  private final Map<Member, Lease> held = new LinkedHashMap<>();
  private final Map<Member, Verdict> verdicts = new HashMap<>();
  private Map<Member, CompletableFuture<Claimed>> asked = Map.of();
  private @Nullable RedLease won;
  private boolean decided = true;
  private int rounds;
  private int quickRounds;
  private @Nullable Member hinted;

  private QuorumClaim(
      RedMembers of, long wait, CompletableFuture<Claimed> claimed, Consumer<LeaseLost> told) {
    this.of = of;
    this.wait = wait;
    this.claimed = claimed;
    this.told = told;
    start = of.time().nanoTime();
  }

  /**
   * As {@link Claimer#claim}, of a majority.
   *
   * @param told of the lease's dangers and loss
   */
  static void start(
      RedMembers of, long wait, CompletableFuture<Claimed> claimed, Consumer<LeaseLost> told) {
    QuorumClaim claim = new QuorumClaim(of, wait, claimed, told);
    CompletableFuture<Claimed> unused =
        claimed.whenComplete((value, failure) -> claim.turns.run(claim::ended));
    claim.turns.run(claim::round);
  }

  private void ended() {
    if (won == null) {
      giveBack();
    }
  }

  private void giveBack() {
    asked.values().forEach(each -> each.cancel(false));
    releaseAllBut(null);
  }

  // One round

  private void round() {
    if (claimed.isDone()) {
      giveBack();
      return;
    }
    rounds++;
    verdicts.clear();
    decided = false;
    Map<Member, CompletableFuture<Claimed>> all = new LinkedHashMap<>();
    of.all().stream()
        .filter(each -> !isHeld(each))
        .forEach(each -> all.put(each, new CompletableFuture<>()));
    asked = all;
    int round = rounds;
    all.forEach((member, one) -> {
      CompletableFuture<Claimed> unused =
          one.whenComplete(
              (answer, failure) -> turns.run(() -> answered(round, member, answer, failure)));
      member.claim(Claimer.NOT, one);
    });
    later(of.nodeTimeout(), () -> tooSlow(all));
  }

  private boolean isHeld(Member member) {
    Lease lease = held.get(member);
    return lease != null && lease.isValid();
  }

  private void later(Duration delay, Runnable task) {
    of.time().schedule(() -> turns.run(task), delay);
  }

  private void tooSlow(Map<Member, CompletableFuture<Claimed>> all) {
    String text = "no answer within " + of.nodeTimeout().toMillis() + " ms";
    all.values().forEach(each -> each.completeExceptionally(new TimeoutException(text)));
  }

  private void answered(
      int round, Member member, @Nullable Claimed answer, @Nullable Throwable failure) {
    Lease lease = answer == null ? null : answer.lease();
    if (decided || round != rounds) {
      if (lease != null) {
        late(member, lease, round);
      }
      return;
    }
    if (lease != null) {
      held.put(member, lease);
    }
    verdicts.put(member, verdict(member, answer, failure));
    decide();
  }

  /** One that answered yes after its round was over belongs to a lease that the round won. */
  private void late(Member member, Lease lease, int round) {
    RedLease whole = won;
    if (whole != null && round == rounds) {
      whole.late(member, lease);
    } else {
      CompositeLease.giveBack(lease);
    }
  }

  private static Verdict verdict(
      Member member, @Nullable Claimed answer, @Nullable Throwable failure) {
    String place = member.place();
    if (answer == null) {
      Answer why = failure instanceof TimeoutException ? Answer.TOO_SLOW : Answer.UNREACHABLE;
      return new Verdict(place, why, String.valueOf(failure == null ? why : failure.getMessage()));
    }
    return answer.lease() != null
        ? new Verdict(place, Answer.ACQUIRED, "")
        : new Verdict(place, Answer.HELD, "held by " + answer.heldBy());
  }

  private void decide() {
    long yes = held.values().stream().filter(Lease::isValid).count();
    long no = of.all().size() - yes - unanswered();
    if (yes >= of.quorum() && win()) {
      return;
    }
    if (no > of.all().size() - of.quorum() || unanswered() == 0) {
      lose();
    }
  }

  private int unanswered() {
    return asked.size() - verdicts.size();
  }

  private boolean win() {
    RedLease lease = new RedLease(of, held, told);
    if (!lease.isValid()) {
      return false;
    }
    decided = true;
    won = lease;
    held.clear();
    lease.watch();
    if (!claimed.complete(new Claimed(lease, null))) {
      CompositeLease.giveBack(lease);
    }
    return true;
  }

  private void lose() {
    decided = true;
    asked.values().forEach(each -> each.cancel(false));
    log.debug("{}: round {} was lost: {}", of.name(), rounds, verdicts.values());
    boolean seeded = quickRounds > 0 && quickRounds < QUICK_ROUNDS && left() > 0;
    if (seeded) {
      releaseAllBut(hinted);
      quickRounds++;
      later(jitter(FIRST_PAUSE), this::round);
      return;
    }
    quickRounds = 0;
    releaseAllBut(null);
    next();
  }

  private void releaseAllBut(@Nullable Member kept) {
    held.entrySet()
        .removeIf(entry -> {
          boolean release = !entry.getKey().equals(kept);
          if (release) {
            CompositeLease.giveBack(entry.getValue());
          }
          return release;
        });
  }

  // Between two rounds

  private void next() {
    if (claimed.isDone()) {
      return;
    }
    boolean unavailable =
        verdicts.values().stream().filter(QuorumClaim::isNoAnswer).count()
            > of.all().size() - of.quorum();
    Optional<Member> busy = of.all().stream().filter(this::isHeldByOther).findFirst();
    boolean over = wait == Claimer.NOT || left() <= 0;
    if (unavailable && (over || wait == Claimer.FOREVER)) {
      fail();
    } else if (over) {
      end(busy);
    } else if (busy.isEmpty() || unavailable) {
      later(jitter(backoff()), this::round);
    } else {
      awaitHint(busy.get());
    }
  }

  private static boolean isNoAnswer(Verdict verdict) {
    return verdict.answer() == Answer.UNREACHABLE || verdict.answer() == Answer.TOO_SLOW;
  }

  private boolean isHeldByOther(Member member) {
    Verdict verdict = verdicts.get(member);
    return verdict != null && verdict.answer() == Answer.HELD;
  }

  private long left() {
    return wait == Claimer.FOREVER ? wait : wait - (of.time().nanoTime() - start);
  }

  private Duration backoff() {
    Duration longer = FIRST_PAUSE.multipliedBy(1L << Math.min(rounds, 7));
    return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  private Duration jitter(Duration longest) {
    long nanos = Math.min(longest.toNanos(), Math.max(1, left()));
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(nanos) + 1);
  }

  private void awaitHint(Member member) {
    long longest = LONGEST_WAIT_FOR_HINT.toNanos();
    long nanos = Math.min(left(), longest / 2 + jitter(LONGEST_WAIT_FOR_HINT).toNanos() / 2);
    CompletableFuture<Claimed> hint = new CompletableFuture<>();
    asked = Map.of(member, hint);
    CompletableFuture<Claimed> unused =
        hint.whenComplete((answer, failure) -> turns.run(() -> hinted(member, answer)));
    member.claim(nanos, hint);
  }

  private void hinted(Member member, @Nullable Claimed answer) {
    if (answer != null && answer.lease() != null) {
      held.put(member, answer.lease());
      hinted = member;
      quickRounds = 1;
    }
    if (left() <= 0 && held.isEmpty()) {
      next();
    } else {
      round();
    }
  }

  // The end without a lease

  private void end(Optional<Member> busy) {
    String by = busy.map(verdicts::get).map(Verdict::detail).orElse("several others");
    claimed.complete(new Claimed(null, by));
  }

  private void fail() {
    List<Verdict> all = of.all().stream().map(verdicts::get).filter(Objects::nonNull).toList();
    String message =
        "red lock %s: too few of %d members answered, %d are needed (%s); check their servers (docs/troubleshooting.md#quorum)"
            .formatted(of.name(), of.all().size(), of.quorum(), all);
    claimed.completeExceptionally(new QuorumException(message, all));
  }
}
