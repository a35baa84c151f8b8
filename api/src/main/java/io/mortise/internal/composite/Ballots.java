package io.mortise.internal.composite;

import io.mortise.QuorumException;
import io.mortise.QuorumException.Verdict;
import io.mortise.internal.composite.Ballot.Question;
import io.mortise.internal.wire.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What a {@link QuorumRequest} knows of all members together, and what follows from their order.
 * Only the tasks of that request use it.
 *
 * @param ballots one for each member, in the order of the members
 */
record Ballots(QuorumMembers of, List<Ballot> ballots) {
  /* Overview
   *
   * Contenders must not split the members among themselves. The order of the members, which all
   * processes share, prevents that (docs/decisions/0016-redlocks.md#d122):
   *
   *   living    a member that has answered when it was asked last
   *   gates     the living members but for the last quorum - 1. Every majority needs a gate
   *   owner     a contender that holds a gate
   *
   *   - A contender waits in the queues of the gates, and of no other member. So each release
   *     makes an owner, also if all other gates are kept by somebody else. The members behind the
   *     gates are free for the owner's tries.
   *   - An owner keeps its gates, and of the members behind them those before the first that it
   *     lacks. In the queue of that one it waits. So the owner of the first member behind the gates
   *     gets the others too. All other contenders give back at once what a lost round has brought.
   *   - While a minority is dead, a single gate is left. Its owner has no rival.
   *   - An owner that does not win in some quick rounds gives back everything. The owner of an
   *     earlier gate is more patient. So if members are kept by somebody else and an owner needs
   *     two gates, the owner of the first one gets the other.
   *
   */

  /** For the owner of the last of all gates. The owner of the one before it has twice as many. */
  private static final int QUICK_ROUNDS = 3;

  private static final int MOST_DOUBLINGS = 3;

  // In a round

  /** How many members are held. */
  long held() {
    return ballots.stream().filter(Ballot::isHeld).count();
  }

  boolean isMajority() {
    return held() >= of.quorum();
  }

  /**
   * Whether a round should wait for the answer of a member that was asked. If another contender is
   * there, and a majority answers, it does not wait for a member that was silent before: what it
   * holds meanwhile would be missing elsewhere.
   */
  boolean isWorthWaitingFor(Ballot ballot) {
    return !isSilent(ballot)
        || ballots.stream().noneMatch(Ballot::isBusy)
        || ballots.stream().filter(this::isMissing).count() > of.spare();
  }

  private boolean isMissing(Ballot ballot) {
    return !isLiving(ballot) || (ballot.isOut(Question.TRY) && isSilent(ballot));
  }

  private boolean isSilent(Ballot ballot) {
    return of.servers().isSilent(ballot.member);
  }

  // Between two rounds

  private List<Ballot> living() {
    return ballots.stream().filter(this::isLiving).toList();
  }

  /** Whether it answers, as far as is known. */
  private boolean isLiving(Ballot ballot) {
    return ballot.verdict() == null ? !isSilent(ballot) : ballot.hasAnswered();
  }

  /** The living members before the last ones, of which a majority needs at least one. */
  List<Ballot> gates() {
    List<Ballot> living = living();
    return living.subList(0, Math.max(0, living.size() - of.quorum() + 1));
  }

  /**
   * What is kept after a lost round: the gates that are held, and of the members behind the gates
   * those before the first that is not held. Nothing without a gate.
   */
  List<Ballot> kept() {
    List<Ballot> gates = gates();
    List<Ballot> kept = new ArrayList<>(gates.stream().filter(Ballot::isHeld).toList());
    if (!kept.isEmpty()) {
      behind(gates).takeWhile(Ballot::isHeld).forEach(kept::add);
    }
    return kept;
  }

  private Stream<Ballot> behind(List<Ballot> gates) {
    return living().stream().skip(gates.size());
  }

  /**
   * The queues to wait in: those of the gates. The owner of a gate also waits for the first member
   * behind them.
   */
  List<Ballot> queues() {
    List<Ballot> gates = gates();
    List<Ballot> queues = new ArrayList<>(gates);
    if (gates.stream().anyMatch(Ballot::isHeld)) {
      behind(gates).dropWhile(Ballot::isHeld).limit(1).forEach(queues::add);
    }
    return queues;
  }

  /** For how many quick rounds the first gate that is held is kept. */
  int patience(Ballot first) {
    int earlier = of.spare() - gates().indexOf(first);
    return QUICK_ROUNDS << Math.min(earlier, MOST_DOUBLINGS);
  }

  // Without a lease

  List<Verdict> verdicts() {
    return ballots.stream().map(Ballot::verdict).filter(Objects::nonNull).toList();
  }

  /** Who had a member. */
  String holder() {
    return ballots.stream()
        .filter(Ballot::isBusy)
        .findFirst()
        .map(Ballot::verdict)
        .map(Verdict::detail)
        .orElse("several others");
  }

  /** Too few members have answered. */
  QuorumException failure() {
    List<Verdict> all = verdicts();
    String set = of.voters() == null ? "" : "; this set is [" + of.voters().text() + ']';
    String message =
        "Redlock %s: too few of %d members answered, %d are needed (%s)%s; check their servers (docs/troubleshooting.md#quorum)"
            .formatted(Names.shown(of.name()), of.all().size(), of.quorum(), all, set);
    return new QuorumException(message, all);
  }
}
