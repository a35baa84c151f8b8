package io.mortise.model;

import io.mortise.model.Message.Kind;
import io.mortise.model.State.Service;

/** What must always be true. Q1 to Q6 are the rules of docs/rules.md. */
enum Rule {
  Q1(
      "a holder's lease is in the store at least as long as the holder believes, so it is alone",
      (before, step, after) -> believesTooMuch(after)),

  Q2(
      "no script ends with the lock free and a live waiter in the queue",
      (before, step, after) ->
          step.ranScript() && !leavesTheLockAlone(before, step) && isFreeInVain(after)),

  Q3(
      "an id leaves the queue only by a grant, by leaving, or because its process is silent",
      Rule::dropsALiveWaiter),

  Q4(
      "a waiter that fell out of the queue is in it again after its next check, with its ticket",
      Rule::losesItsTicket),

  Q5(
      "a waiter that is granted in a reply holds, as if its own command had been answered",
      (before, step, after) ->
          step.heard(Kind.GRANTED)
              && !after.failedOver
              && believesTooMuch(after, after.waiters[after.waiterOf(step.message().id())])),

  Q6(
      "an id that was revoked never holds again",
      (before, step, after) ->
          after.store.holder >= 0 && after.store.revoked[after.store.holder] > 0),

  KEPT(
      "a lock that was left with a rest of time is kept for that time, and no longer",
      (before, step, after) -> endsAtAnotherTime(after.store)),

  NO_STALL(
      "a live waiter gets a lock that nobody uses within a re-check and a window per fault",
      (before, step, after) -> starves(after)),

  NO_GHOST(
      "a lock whose holder has given it up, in a process that lives, is being given back",
      (before, step, after) -> isHeldByAGhost(after)),

  L12(
      "a process keeps others waiting by one hold for the time of hand-offs and one section",
      (before, step, after) -> after.kept > after.setup.longestHold()),

  ALONE(
      "no process keeps a hold unused that a live waiter has waited for since before it began",
      (before, step, after) -> isKeptInVain(after)),

  PLACE("no live waiter is overtaken, also if its message is lost or late", Rule::overtakes),

  TOLD(
      "a holder that a forced unlock revoked is told, unless its message is lost",
      (before, step, after) -> keepsItFromTheHolder(after)),

  UNUSED(
      "no process keeps a hold unused while a live waiter waits, once it could hear that",
      (before, step, after) -> after.unused > after.setup.longestUnused()),

  TRY(
      "without a fault, a try fails only if another had the lock or waited for it meanwhile",
      Rule::failsInVain),

  LOSS(
      "without a fault, no holder loses its lease",
      (before, step, after) -> isUntroubled(before) && losesItsLease(after)),

  ENTRY(
      "no thread takes a hold over that has ended in the store, once its process could hear that",
      (before, step, after) -> entersTooLate(before, after)),

  WOKEN(
      "without a fault, a waiter that was granted the lock is told",
      (before, step, after) -> isUntroubled(after) && keepsItFromTheWaiter(after));

  /** Whether a step breaks a rule. */
  private interface Check {
    boolean isBroken(State before, Step step, State after);
  }

  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // each is a function without state
  private final Check check;

  Rule(String text, Check check) {
    this.text = text;
    this.check = check;
  }

  String text() {
    return text;
  }

  boolean isBroken(State before, Step step, State after) {
    return check.isBroken(before, step, after);
  }

  // Q1, Q5

  /** A stale failover loses what was promised. */
  private static boolean believesTooMuch(State state) {
    for (Waiter waiter : state.waiters) {
      if (!state.failedOver && believesTooMuch(state, waiter)) {
        return true;
      }
    }
    return false;
  }

  /** A holder that was revoked is told so. That is another rule. */
  private static boolean believesTooMuch(State state, Waiter waiter) {
    Store store = state.store;
    return waiter.holds()
        && store.revoked[waiter.id] == 0
        && (store.holder != waiter.id || store.ttl < waiter.timer);
  }

  // Q2

  /** If a lease has ended, there is room without a script. The waiter's next check finds it. */
  private static boolean leavesTheLockAlone(State before, Step step) {
    boolean acquires = step.ran(Kind.ACQUIRE) || step.ran(Kind.TRY);
    boolean tooLate = acquires && before.store.tombstone[step.message().id()] > 0;
    return tooLate || step.ran(Kind.RENEW) || step.ran(Kind.LINGER);
  }

  private static boolean isFreeInVain(State state) {
    for (int id = 0; id < state.store.ticket.length; id++) {
      boolean waits = state.store.waits(id) && state.lives(id);
      if (waits && state.store.isFree()) {
        return true;
      }
    }
    return false;
  }

  // Q3

  private static boolean dropsALiveWaiter(State before, Step step, State after) {
    for (int id = 0; step.ranScript() && id < after.store.ticket.length; id++) {
      boolean waited = before.store.waits(id);
      boolean granted = after.store.holder == id;
      boolean left = waited && !after.store.waits(id) && !granted && !isSilent(before, id);
      boolean owed = before.store.called[id] && before.store.holder == id;
      boolean forgotten = owed && after.store.holder == id && after.store.ticket[id] == 0;
      if ((left && !leaves(step, id)) || (forgotten && !confirms(step, id))) {
        return true;
      }
    }
    return false;
  }

  private static boolean confirms(Step step, int id) {
    return step.ran(Kind.ACQUIRE) && step.message().id() == id;
  }

  private static boolean leaves(Step step, int id) {
    return step.message() != null && step.message().kind().isLeave() && step.message().id() == id;
  }

  /**
   * It has not asked, its mailbox has no subscriber, or its process has left a grant unanswered,
   * and it has not asked for a window.
   */
  private static boolean isSilent(State state, int id) {
    int service = state.serviceOf(id);
    int ago = state.setup.times().silence() - state.store.heard[id];
    boolean left = state.store.silent[service] != State.NONE || hasLeftAGrant(state, service);
    return state.store.heard[id] == 0
        || !state.services[service].isSubscribed()
        || (left && ago >= state.setup.times().window());
  }

  /** A message granted the lock to an id of it, which did not ask until that was over. */
  private static boolean hasLeftAGrant(State state, int service) {
    for (int id = 0; id < state.store.heard.length; id++) {
      boolean owes = state.store.heard[id] == Store.OWES && state.store.holder != id;
      if (owes && state.serviceOf(id) == service) {
        return true;
      }
    }
    return false;
  }

  // Q4

  private static boolean losesItsTicket(State before, Step step, State after) {
    if (!step.ran(Kind.ACQUIRE)) {
      return false;
    }
    int id = step.message().id();
    int known = step.message().ticket();
    boolean waits = after.store.holder != id && before.store.tombstone[id] == 0;
    int had = before.store.ticket[id] > 0 ? before.store.ticket[id] : known;
    int ticket = after.store.ticket[id];
    return waits && (!after.store.waits(id) || (had > 0 && ticket != had));
  }

  // The rest of a hold

  private static boolean endsAtAnotherTime(Store store) {
    return store.promised > 0 ? store.ttl != store.promised : store.holder == State.REST;
  }

  // Nobody starves, nothing stays behind

  private static boolean starves(State state) {
    int longest = state.setup.longestIdle() + state.lateJoins * state.setup.times().window();
    for (Waiter waiter : state.waiters) {
      if (waiter.starving > longest) {
        return true;
      }
    }
    return false;
  }

  private static boolean isHeldByAGhost(State state) {
    int id = state.store.holder;
    if (id < 0 || id == state.revived) {
      return false; // a stale failover may give the lock back to an id that is over
    }
    boolean wanted = state.waiters[state.waiterOf(id)].id == id;
    boolean dead = state.services[state.serviceOf(id)].life == Service.Life.CRASHED;
    return !wanted && !dead && !isBeingGivenBack(state, id);
  }

  /** By a leave, or by a message that its service will answer with one. */
  private static boolean isBeingGivenBack(State state, int id) {
    for (Message each : state.messages) {
      boolean granted = each.kind() == Kind.GRANT || each.kind() == Kind.GRANTED;
      if (each.id() == id && (each.kind().isLeave() || granted)) {
        return true;
      }
    }
    return false;
  }

  // These two hold where only some faults happen

  private static boolean overtakes(State before, Step step, State after) {
    int holder = after.store.holder;
    if (!step.ranScript() || holder < 0 || holder == before.store.holder) {
      return false;
    }
    int ticket = ticketOf(before, holder);
    for (Waiter waiter : before.waiters) {
      if (waiter.waits() && waiter.ticket > 0 && ticket > waiter.ticket) {
        return true;
      }
    }
    return false;
  }

  /** In the queue, or else in the waiter's memory. A newcomer is behind all. */
  private static int ticketOf(State state, int id) {
    Waiter waiter = state.waiters[state.waiterOf(id)];
    int known = waiter.id == id ? waiter.ticket : 0;
    int ticket = Math.max(state.store.ticket[id], known);
    return ticket > 0 ? ticket : Integer.MAX_VALUE;
  }

  private static boolean isKeptInVain(State state) {
    boolean retained = false;
    boolean awaited = false;
    for (int w = 0; w < state.waiters.length; w++) {
      Waiter waiter = state.waiters[w];
      retained |= waiter.phase == Waiter.Phase.RETAINING;
      awaited |= waiter.early && waiter.waits() && state.runs(w);
    }
    return retained && awaited;
  }

  private static boolean keepsItFromTheHolder(State state) {
    for (Waiter waiter : state.waiters) {
      boolean revoked = waiter.holds() && state.store.revoked[waiter.id] > 0;
      if (revoked && !isNewsOnTheWay(state, waiter.id)) {
        return true;
      }
    }
    return false;
  }

  /** It waits, and neither has been told nor will be. */
  private static boolean keepsItFromTheWaiter(State state) {
    for (Waiter waiter : state.waiters) {
      boolean waits = waiter.phase == Waiter.Phase.WAITING && !waiter.signalled;
      boolean granted = waits && state.store.holder == waiter.id;
      if (granted && !isBeingGivenBack(state, waiter.id)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isNewsOnTheWay(State state, int id) {
    for (Message each : state.messages) {
      if (each.kind() == Kind.LOST && each.id() == id) {
        return true;
      }
    }
    return false;
  }

  // These are about holds that processes keep until they are asked

  private static boolean isUntroubled(State state) {
    return state.faultsLeft == state.setup.mostFaults();
  }

  private static boolean failsInVain(State before, Step step, State after) {
    if (!isUntroubled(after)) {
      return false;
    }
    for (int w = 0; w < before.waiters.length; w++) {
      Waiter waiter = before.waiters[w];
      if (waiter.tries() && !waiter.met && after.waiters[w].phase == Waiter.Phase.IDLE) {
        return true;
      }
    }
    return false;
  }

  private static boolean losesItsLease(State state) {
    for (Waiter waiter : state.waiters) {
      if (waiter.phase == Waiter.Phase.HOLDING && waiter.timer == 0) {
        return true;
      }
    }
    return false;
  }

  /** Within H of the acquisition, threads hand any hold off. */
  private static boolean entersTooLate(State before, State after) {
    for (int w = 0; w < before.waiters.length; w++) {
      Waiter waiter = before.waiters[w];
      Times times = before.setup.times();
      boolean enters = waiter.isUnused() && after.waiters[w].holds();
      boolean handedOff = waiter.phase == Waiter.Phase.HANDED_OFF && waiter.age < times.handOff();
      if (enters && !handedOff && waiter.ended > times.delay()) {
        return true;
      }
    }
    return false;
  }
}
