package io.mortise.internal.composite;

import io.mortise.BackendUnavailableException;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.OutcomeUnknownException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.SerialExecutor;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import io.mortise.spi.TimeSource.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a majority of members as one lease. It checks its members three times per lease. It
 * reports when it is suspect or lost, and acquires lost members again. Such a member counts only
 * from the next check on, and only if a majority was held without it until then. If it counted at
 * once, it could hide that exclusion was broken in between. For the same reason a member that is
 * acquired again needs no vote of its server, which may be in quarantine: the lease was held by a
 * majority of others all the time, so no other holder had one. Thread-safe; the tasks that use its
 * own fields run one after the other.
 */
final class QuorumLease extends MergedLease {
  /** By the member's place, which all its handles share. */
  private final Map<String, Lease> counted = new HashMap<>();

  private final Map<String, Lease> healing = new HashMap<>();
  private final List<CompletableFuture<LeaseOutcome>> asked = new ArrayList<>();

  /**
   * One for each member that was not held at first: true as soon as it is certain that nothing is
   * held there.
   */
  private final List<CompletableFuture<Boolean>> free = new ArrayList<>();

  private final QuorumOwner owner;
  private final SerialExecutor tasks = new SerialExecutor();
  private volatile long token;
  private LeaseState before = LeaseState.HELD;
  private @Nullable Timer looking;

  /**
   * The members as the caller asked for them. Replaced by renewed ones when a renewed lock is
   * nested in a fixed one.
   */
  private volatile QuorumMembers of;

  QuorumLease(QuorumMembers of, QuorumOwner owner, Map<Member, Lease> held) {
    super(of.name(), of.quorum(), of.time(), of::execute, held.values());
    this.of = of;
    this.owner = owner;
    held.forEach((member, lease) -> {
      memberLease(lease).joinMajority(owner.thread());
      counted.put(member.place(), lease);
    });
  }

  /**
   * Begins to watch the members. Call it once, when the lease is complete.
   *
   * @param others the answers, present or future, of the members that are not held
   */
  void watch(Map<Member, CompletableFuture<LeaseOutcome>> others) {
    watch();
    Lease unused = onLost(owner.told());
    others.forEach((member, answer) -> free.add(free(member, answer)));
    tasks.run(this::lookLater);
  }

  private void lookLater() {
    if (!isOver()) {
      Duration third = of.lease().dividedBy(3);
      Duration left = left();
      Duration next = left.compareTo(third) < 0 ? left : third;
      looking = of.time().schedule(lookAt(new WeakReference<>(this)), next.plusMillis(1));
    }
  }

  /** The task of the next check. A lease that was dropped is checked no more. */
  private static Runnable lookAt(WeakReference<QuorumLease> lease) {
    return () -> {
      QuorumLease still = lease.get();
      if (still != null) {
        still.tasks.run(still::look);
      }
    };
  }

  /**
   * Sets its fencing token, which is on a majority of the servers.
   *
   * @return whether the lease is still valid, so that the token counts
   */
  boolean fence(long accepted) {
    token = accepted;
    return isValid();
  }

  @Override
  public OptionalLong fencingToken() {
    return token == 0 ? OptionalLong.empty() : OptionalLong.of(token);
  }

  // Members that come later

  /**
   * Waits for a member that answers late, in the attempt that acquired the others. If it was
   * acquired, it counts.
   */
  private CompletableFuture<Boolean> free(Member member, CompletableFuture<LeaseOutcome> answer) {
    CompletableFuture<Boolean> known = new CompletableFuture<>();
    CompletableFuture<LeaseOutcome> unused =
        answer.whenComplete(
            (outcome, failure) -> tasks.run(() -> answered(member, outcome, failure, known)));
    return known;
  }

  private void answered(
      Member member,
      @Nullable LeaseOutcome answer,
      @Nullable Throwable failure,
      CompletableFuture<Boolean> known) {
    Lease lease = answer == null ? null : answer.lease();
    if (lease == null) {
      known.complete(answer != null || failure instanceof BackendUnavailableException);
    } else if (count(member, lease)) {
      known.complete(false); // it is released with the other members
    } else {
      CompletableFuture<Void> unused =
          memberLease(lease).releasing(0).whenComplete((done, lost) -> known.complete(true));
    }
  }

  /** Counts a member from now on. Returns false if the whole is over. */
  private boolean count(Member member, Lease lease) {
    memberLease(lease).joinMajority(owner.thread());
    return add(lease, counted.put(member.place(), lease));
  }

  private void look() {
    LeaseState now = state();
    if (now == LeaseState.LOST || now == LeaseState.RELEASED) {
      return; // ended() does the rest
    }
    if (now == LeaseState.SUSPECT && before == LeaseState.HELD) {
      report(now, "fewer than a majority were renewed");
    }
    if (now == LeaseState.HELD && before == LeaseState.SUSPECT) {
      report(now, "a majority was renewed again");
    }
    if (now == LeaseState.HELD && before == LeaseState.HELD && of.isRenewed() && !owner.isGone()) {
      countHealed();
      heal();
    }
    before = now;
    lookLater();
  }

  private void report(LeaseState now, String reason) {
    LeaseChange event = new LeaseChange(name(), now, "", remaining(), Optional.empty(), reason);
    of.execute(() -> owner.told().accept(event));
  }

  /** Members that were acquired again at the last check count from now on, if that is certain. */
  private void countHealed() {
    for (Member each : of.all()) {
      Lease lease = healing.remove(each.place());
      if (lease != null && !(lease.isValid() && count(each, lease))) {
        giveBack(lease);
      }
    }
  }

  private void heal() {
    asked.forEach(each -> each.cancel(false));
    asked.clear();
    for (Member each : of.all()) {
      Lease lease = counted.get(each.place());
      if (lease == null || !lease.isValid()) {
        CompletableFuture<LeaseOutcome> result = new CompletableFuture<>();
        asked.add(result);
        CompletableFuture<Void> unused =
            result.thenAccept(answer -> tasks.run(() -> healed(each, answer.lease())));
        each.request(LeaseSource.AT_ONCE, result);
      }
    }
  }

  private void healed(Member member, @Nullable Lease lease) {
    if (lease == null) {
      return;
    }
    if (isOver()) {
      giveBack(lease);
    } else {
      memberLease(lease).joinMajority(owner.thread());
      healing.put(member.place(), lease);
    }
  }

  private void endLooking() {
    if (looking != null) {
      looking.close();
    }
    asked.forEach(each -> each.cancel(false));
    healing.values().forEach(QuorumLease::giveBack);
    healing.clear();
  }

  /** The rests on the members would be counted by clocks that drift apart. */
  static UnsupportedOperationException noRest(String name, String instead) {
    return new UnsupportedOperationException(
        "Redlock '%s' cannot be kept for a rest of time, because its members would free it at different times; wait and then call %s"
            .formatted(name, instead));
  }

  @Override
  public void closeAfter(Duration after) {
    throw noRest(name(), "close");
  }

  // Extending

  @Override
  public boolean extend(Duration lease) {
    of.checkLease(lease);
    return super.extend(lease);
  }

  @Override
  public CompletableFuture<Boolean> extendAsync(Duration lease) {
    of.checkLease(lease);
    return super.extendAsync(lease);
  }

  /**
   * Makes sure that it has at least the lease that a nested acquisition asks for. A fixed lease is
   * made longer, or renewed from now on.
   *
   * @return whether it is still held
   */
  boolean ensure(QuorumMembers wanted) {
    Duration lease = wanted.lease();
    of.checkLease(lease);
    boolean renews = wanted.isRenewed() && !of.isRenewed();
    boolean enough = wanted.isRenewed() || remaining().compareTo(lease) >= 0;
    if (enough && !renews) {
      return true;
    }
    boolean held =
        Futures.join(
            extending(each -> renews ? each.renewing(lease) : each.extending(lease)), of.time());
    if (held && renews) {
      of = wanted;
    }
    return held;
  }

  /**
   * Completes in the first of three cases: a majority has answered yes, all members have answered,
   * or the member timeout is over.
   */
  @Override
  CompletableFuture<Void> answered(List<CompletableFuture<Boolean>> answers) {
    CompletableFuture<Void> settled = super.answered(answers);
    String text =
        "%s: whether its lease was made longer is not known: too few of its members answered within %d ms, %d are needed; ask again while it is valid (docs/troubleshooting.md#quorum)"
            .formatted(Names.shown(name()), of.nodeTimeout().toMillis(), of.quorum());
    Timer patience =
        of.time()
            .schedule(
                () ->
                    answers.forEach(each ->
                        each.completeExceptionally(new OutcomeUnknownException(text, null))),
                of.nodeTimeout());
    CompletableFuture<Void> unused = majority(answers).thenRun(() -> settled.complete(null));
    unused = settled.whenComplete((done, failure) -> patience.close());
    return settled;
  }

  /** A future that completes when a majority of these are complete and true. */
  private CompletableFuture<Void> majority(List<CompletableFuture<Boolean>> all) {
    CompletableFuture<Void> majority = new CompletableFuture<>();
    AtomicInteger missing = new AtomicInteger(of.quorum());
    for (CompletableFuture<Boolean> each : all) {
      CompletableFuture<Void> unused =
          each.thenAccept(yes -> {
            if (yes && missing.decrementAndGet() == 0) {
              majority.complete(null);
            }
          });
    }
    return majority;
  }

  // Ending

  /**
   * Completes when both are true:
   *
   * <ul>
   *   <li>a majority of the members is free,
   *   <li>all members that were held are free, or the member timeout is over.
   * </ul>
   *
   * <p>A member that may have been acquired without a reply is not free.
   */
  @Override
  CompletableFuture<Void> settled(List<CompletableFuture<Void>> releases) {
    List<CompletableFuture<Boolean>> all =
        Stream.concat(
                releases.stream().map(each -> each.handle((done, lost) -> true)), free.stream())
            .toList();
    CompletableFuture<Void> settled = Futures.settled(all);
    CompletableFuture<Void> patience = Futures.settled(releases);
    Timer timer = of.time().schedule(() -> patience.complete(null), of.nodeTimeout());
    CompletableFuture<Boolean> unused =
        majority(all).thenCombine(patience, (free, over) -> settled.complete(null));
    CompletableFuture<Void> ignored = settled.whenComplete((done, failure) -> timer.close());
    return settled;
  }

  @Override
  void ended() {
    tasks.run(this::endLooking);
  }
}
