package io.mortise.model;

import static io.mortise.model.Rule.ALONE;
import static io.mortise.model.Rule.ENTRY;
import static io.mortise.model.Rule.KEPT;
import static io.mortise.model.Rule.L12;
import static io.mortise.model.Rule.LOSS;
import static io.mortise.model.Rule.NO_GHOST;
import static io.mortise.model.Rule.NO_STALL;
import static io.mortise.model.Rule.PLACE;
import static io.mortise.model.Rule.Q1;
import static io.mortise.model.Rule.Q2;
import static io.mortise.model.Rule.Q3;
import static io.mortise.model.Rule.Q4;
import static io.mortise.model.Rule.Q5;
import static io.mortise.model.Rule.Q6;
import static io.mortise.model.Rule.TOLD;
import static io.mortise.model.Rule.TRY;
import static io.mortise.model.Rule.UNUSED;
import static io.mortise.model.Rule.WOKEN;

import java.util.function.UnaryOperator;

/**
 * Mistakes, planted one at a time. Each is found in a setup in which the protocol itself breaks no
 * rule. Most are findings about an earlier design: A1 to A13 about the queue (docs/rules.md), F1 to
 * F14 about holds that are kept until somebody asks. K1 to K9 are about waiters that were called:
 * they stay in the queue until they confirm. P1 to P5 are about processes that send the messages of
 * their scripts.
 */
@SuppressWarnings("ImmutableEnumChecker") // nobody changes the sets of a setup
enum Mistake {
  CALL_INSTEAD_OF_GRANT(
      "A1",
      "a script calls the head again and again, and gives it a window to acquire each time",
      Setup.of("ABC", Times.QUICK).withFaults(1, Fault.FREEZE).checking(NO_STALL),
      NO_STALL),

  NON_HEAD_DOES_NOT_GRANT(
      "A2",
      "an acquire that finds the lock free queues behind others, and does not wake the head",
      Setup.of("ABC", Times.QUICK).withFaults(1, Fault.CRASH),
      Q2),

  ALIVE_LOWERED(
      "A3",
      "a call lowers the head's time alive to the window, and the re-check is as long",
      Setup.of("ABC", Times.QUICK).withFaults(1, Fault.LOSE_MAIL).checking(Q3),
      Q3,
      times -> times.withRecheck(2).withAlive(5)),

  RECHECK_TOO_LONG(
      "A3",
      "R + 2 D >= C: a waiter re-checks when its grant is over",
      Setup.of("ABC", Times.QUICK).withFaults(1, Fault.LOSE_MAIL).checking(PLACE),
      PLACE,
      times -> times.withRecheck(2).withAlive(5)),

  NO_TOMBSTONE(
      "A4",
      "a withdrawal leaves no tombstone, though its acquire may still arrive",
      Setup.of("A", Times.QUICK).withFaults(1, Fault.DELAY_COMMAND),
      NO_GHOST),

  TOMBSTONE_TOO_SHORT(
      "A4",
      "a tombstone ends before a delayed command arrives",
      Setup.of("A", Times.QUICK).withFaults(1, Fault.DELAY_COMMAND),
      NO_GHOST,
      times -> times.withTombstone(1)),

  SHORTENS_THE_LEASE(
      "A5",
      "a late or repeated command sets the expiry to its own lease",
      Scenario.EXTENSIONS.setup(),
      Q1),

  UNKNOWN_GRANT_IGNORED(
      "A6",
      "a service ignores a grant to an id that it no longer knows",
      Scenario.FAILOVER.setup(),
      NO_GHOST),

  PURGES_ITSELF(
      "A7",
      "a waiter that asks counts as alive again only after dead ones were removed",
      Setup.of("AB", Times.QUICK).withFaults(2, Fault.CRASH, Fault.FREEZE),
      Q4),

  TWO_STRUCTURES(
      "A8",
      "the key alive says who waits, and the key queue in which order",
      Scenario.KEYS.setup(),
      Q4),

  NEW_TICKET(
      "A9",
      "a waiter that was passed over comes back with a new ticket",
      Setup.of("AB", Times.QUICK).withFaults(1, Fault.DISCONNECT),
      Q4),

  COUNTS_IN_A_CLUSTER(
      "A10",
      "a waiter is passed over because PUBLISH in a cluster counts 0",
      Scenario.CLUSTER.setup(),
      Q3),

  NO_MARK(
      "A11",
      "a mailbox that left a grant unanswered is granted the lock again",
      Setup.of("AAB", Times.QUICK).withFaults(1, Fault.FREEZE),
      NO_STALL),

  NO_LEAVE_ON_LOSS(
      "A12",
      "a hold that its deadline ended is not given back",
      Setup.of("A", Times.QUICK).withFaults(1, Fault.LOSE_REPLY),
      NO_GHOST),

  REST_KEEPS_THE_ID(
      "L27",
      "the rest of a hold keeps the id, which late commands may still name",
      Setup.of("A", Times.QUICK)
          .withFaults(1, Fault.DELAY_COMMAND)
          .with(Choice.REST)
          .checking(KEPT),
      KEPT),

  HAND_OFFS_WITHOUT_END(
      "L12",
      "threads hand a hold off for as long as others of their process want it",
      Setup.of("AB", Times.QUICK).with(Choice.HAND_OFF),
      L12),

  RETAIN_TIME_FROM_THE_UNLOCK(
      "L12",
      "the time for which a hold is kept counts from the last unlock",
      Setup.of("AB", Times.QUICK).with(Choice.HAND_OFF, Choice.RETAIN).checking(L12),
      L12),

  TAKEN_AFTER_THE_TIME(
      "L12",
      "a thread takes a hold that was kept for too long",
      Scenario.RETAINED_OF_THREE.setup(),
      L12),

  RETAINS_A_HOLD_THAT_OTHERS_WAIT_FOR(
      "L12",
      "a hold is kept though others waited for it",
      Scenario.RETAINED_OF_THREE.setup(),
      ALONE),

  GIVES_BACK_BEFORE_THE_END(
      "L1",
      "a hold that is kept is given back to the store before it ends in the process",
      Scenario.RETAINED_OF_THREE.setup(),
      Q1),

  RETAINED_THOUGH_REVOKED(
      "L9",
      "a hold that is kept stays when a forced unlock has ended it",
      Scenario.RETAINED_AND_FORCED.setup(),
      TOLD),

  GRANTED_HOLDS_ARE_ALONE(
      "F1",
      "a hold that was granted counts as alone, though those that wait have asked for the one before",
      Setup.asking("ABC", Times.QUICK_ASKED).checking(UNUSED),
      UNUSED),

  UNASKED_TIME_FROM_THE_UNLOCK(
      "F2",
      "the time for which a hold is kept until asked counts from the last unlock, and no ask comes",
      Scenario.ASKED.setup(),
      L12),

  HAND_OFFS_WITHOUT_CAP(
      "F3",
      "threads hand a hold off until another process asks, and no ask comes",
      Scenario.ASKED.setup(),
      L12),

  EACH_ASK_COUNTS(
      "F4",
      "the time of hand-offs begins again with each ask",
      Scenario.ASKED_OF_THREE.setup(),
      L12),

  NO_RECALL(
      "F5",
      "a try fails at once, though perhaps no thread uses the hold",
      Scenario.TRIED_SLOWLY.setup(),
      TRY),

  RECALL_TOO_SHORT(
      "F5",
      "a recall takes 3 D: the hold may still be on its way",
      Scenario.TRIED_SLOWLY.setup(),
      TRY,
      times -> times.withStaying(new Times.Staying(1, 3, 2, 3))),

  ONLY_THE_FIRST_ASKS("F6", "only the first in the queue asks", Scenario.ASKS_LOST.setup(), UNUSED),

  TAKEN_WITH_LITTLE_LEASE(
      "F7",
      "Rt > L / 2, and a thread takes a hold over with little of its lease left",
      Scenario.ASKED_SLOWLY.setup(),
      LOSS,
      times -> times.withStaying(new Times.Staying(1, 5, 2, 4))),

  OTHER_LEASE_WAITS(
      "F8",
      "a thread with another lease waits at a hold that its own process keeps unused",
      Scenario.ASKED_AT_HOME.setup(),
      UNUSED),

  FORGETS_THE_ASK(
      "F9",
      "an ask before the take-over is forgotten when the thread that was woken gives up",
      Scenario.ASKED_IN_TIME.setup(),
      UNUSED),

  ASKED_BEFORE_THE_END(
      "F10",
      "a process that is asked sends the release before it ends the hold",
      Scenario.ASKED_IN_TIME.setup(),
      Q1),

  EARLY_ASK_IGNORED(
      "F11",
      "an ask that comes before the reply to the acquire is ignored",
      Scenario.ASKED_IN_TIME.setup(),
      UNUSED),

  KEPT_IN_A_GAP(
      "F12",
      "a hold stays unused though the mailbox was cut off",
      Scenario.ASKED_IN_A_GAP.setup(),
      UNUSED),

  KEEPS_WHAT_IT_ACQUIRED_IN_A_GAP(
      "F12",
      "a hold is alone though the mailbox was cut off when its acquire was sent",
      Scenario.ASKED_IN_A_GAP.setup(),
      UNUSED),

  KEPT_AFTER_A_RESTART(
      "F12",
      "a hold stays unused though the connections broke, and the store has no data",
      Scenario.ASKED_AND_RESTARTED.setup(),
      ENTRY),

  EARLY_LOSS_IGNORED(
      "F13",
      "a forced unlock is ignored by an acquire that has no reply yet",
      Scenario.ASKED_AND_FORCED.setup(),
      TOLD),

  ALONE_IS_GUESSED(
      "F14",
      "a hold is alone because its thread did not wait, and the reply does not say it",
      Scenario.TRIED_OF_THREE.setup(),
      ALONE),

  FORCE_DOES_NOT_GRANT(
      "A13",
      "a forced unlock leaves the lock free",
      Setup.of("AB", Times.QUICK).withFaults(1, Fault.FORCE),
      Q2),

  FORCED_WITHOUT_MESSAGE(
      "A13",
      "a forced unlock does not notify the holder",
      Setup.of("A", Times.QUICK).withFaults(1, Fault.FORCE).checking(TOLD),
      TOLD),

  FORCED_WITHOUT_TOMBSTONE(
      "Q6", "a forced unlock leaves no tombstone", Scenario.FORCED.setup(), Q6),

  REPLY_GRANTS_A_WINDOW(
      "Q5",
      "a reply grants for the window, and the waiter believes in a lease",
      Setup.of("AA", Times.QUICK).checking(Q5),
      Q5),

  LEASE_COUNTS_FROM_THE_REPLY(
      "L9",
      "a lease counts from the reply, not from before the command",
      Setup.of("A", Times.SLOW).withFaults(1, Fault.DELAY_REPLY),
      Q1),

  WINDOW_TOO_SHORT(
      "C > 2 D",
      "C < 2 D: every grant ends before its confirmation arrives",
      Setup.of("ABC", Times.SLOW),
      NO_STALL,
      times -> times.withWindow(1)),

  WINDOW_NOT_LONGER(
      "C > 2 D",
      "C = 2 D: a grant may end when its confirmation arrives",
      Setup.of("AB", Times.SLOW).checking(PLACE),
      PLACE,
      times -> times.withWindow(2)),

  ALIVE_TOO_SHORT(
      "A >= 2 R + T",
      "a waiter counts as gone before its next check",
      Setup.of("AB", Times.QUICK),
      Q3,
      times -> times.withAlive(1)),

  CALLED_WAITS(
      "K1",
      "a called waiter counts as one that waits, so it is granted the lock again",
      Setup.of("AB", Times.QUICK).withFaults(1, Fault.FREEZE),
      NO_STALL),

  STAYS_CALLED(
      "K2",
      "a called waiter that asks too late stays called",
      Setup.of("AB", Times.QUICK).withFaults(1, Fault.FREEZE),
      Q4),

  CONFIRMED_STAYS_CALLED(
      "K3",
      "a waiter that confirms its grant stays called, so its mailbox is marked when its lease ends",
      Setup.of("AAB", Times.QUICK).withFaults(1, Fault.FREEZE),
      Q3),

  FORCED_STAYS_CALLED(
      "K4",
      "a waiter stays called when a forced unlock ends its grant, so its mailbox is marked",
      Setup.of("AAB", Times.QUICK).withFaults(2, Fault.FREEZE, Fault.FORCE).checking(Q3),
      Q3),

  ALL_ARE_SILENT(
      "K5",
      "a mark is for all waiters of a mailbox, also for one that asks in this very script",
      Setup.of("AAB", Times.QUICK).withFaults(1, Fault.FREEZE),
      Q4),

  OTHERS_ARE_SILENT(
      "K5",
      "a mark is for all waiters of a mailbox, also for those that have asked since the grant",
      Scenario.PLACES_SHARED.setup(),
      Q3),

  CALLED_IN_TIME_IS_SILENT(
      "K6",
      "a waiter that joins takes a called one for silent, though its window is not over",
      Setup.of("ABC", Times.QUICK),
      Q3),

  TICKET_DOES_NOT_COUNT(
      "K7",
      "a waiter that has not asked again counts as gone, though its ticket is new",
      Setup.of("AB", Times.QUICK).checking(Q3),
      Q3),

  RECHECK_IS_NOT_NOTED(
      "K8",
      "a waiter that asks again counts as gone when A is over from its ticket",
      Setup.of("AB", Times.QUICK),
      Q3),

  EACH_CONFIRMATION_IS_THE_FIRST(
      "K9",
      "each confirmation sets the expiry to the lease without looking, and not only the first",
      Scenario.EXTENSIONS.setup(),
      Q1),

  POSTED_BEFORE_ITS_SCRIPT(
      "P1",
      "a process sends the message of a release before the release has run",
      Scenario.POSTED_SLOWLY.setup(),
      WOKEN),

  POSTED_TO_ITSELF(
      "P2",
      "a process sends a message to its own mailbox, which gives the grant back",
      Scenario.POSTED_BY_THREE.setup(),
      PLACE),

  POSTS_THE_LAST(
      "P3",
      "a process sends only the last of the messages in a reply",
      Scenario.POSTED_AND_FORCED.setup(),
      TOLD),

  LOST_POST_FAILS_THE_RELEASE(
      "P4",
      "a message that is lost fails its release, and the thread goes on as if it held",
      Scenario.POSTED.setup(),
      Q1),

  NEVER_LOOKS_AGAIN(
      "P5",
      "a waiter does not ask again, though the process that has its message may die",
      Scenario.POSTED.setup(),
      NO_STALL);

  private final String finding;
  private final String text;
  private final Setup where;
  private final Rule finder;
  private final UnaryOperator<Times> times;

  Mistake(String finding, String text, Setup where, Rule finder) {
    this(finding, text, where, finder, UnaryOperator.identity());
  }

  Mistake(String finding, String text, Setup where, Rule finder, UnaryOperator<Times> times) {
    this.finding = finding;
    this.text = text;
    this.where = where;
    this.finder = finder;
    this.times = times;
  }

  /** The finding, the rule or the inequality that it is about. */
  String finding() {
    return finding;
  }

  String text() {
    return text;
  }

  /** The setup in which it is found. */
  Setup where() {
    return where;
  }

  /** The rule that finds it. */
  Rule finder() {
    return finder;
  }

  Times times(Times right) {
    return times.apply(right);
  }
}
