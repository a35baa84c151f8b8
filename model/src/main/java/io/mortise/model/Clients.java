package io.mortise.model;

import static io.mortise.model.State.NONE;

import io.mortise.model.Message.Kind;
import io.mortise.model.Waiter.Phase;

/**
 * What waiters and their services do of their own will and when it is due: the rules of QueueWait,
 * LeaseRequest, LeaseKeeper, Releases and Withdrawals.
 */
final class Clients {
  private final State state;
  private final Setup setup;
  private final Times times;

  Clients(State state) {
    this.state = state;
    setup = state.setup;
    times = setup.times();
  }

  // What a waiter does of its own will

  /** A thread wants the lock. */
  void start(int w) {
    Waiter waiter = state.waiters[w];
    waiter.id = state.newId(w);
    waiter.alone = setup.allows(Choice.RETAIN) && hears(w);
    ask(w);
  }

  /** A thread tries to lock. */
  void tryLock(int w) {
    Waiter waiter = state.waiters[w];
    waiter.id = state.newId(w);
    waiter.alone = hears(w);
    waiter.phase = Phase.TRYING;
    waiter.since = 0;
    command(Kind.TRY, waiter.id, 0, 0);
  }

  private boolean hears(int w) {
    boolean missesNothing = setup.has(Mistake.KEEPS_WHAT_IT_ACQUIRED_IN_A_GAP);
    return missesNothing || !state.services[setup.serviceOf(w)].deaf;
  }

  /** It does not want it any more. Without a reply to its acquire, that must not arrive later. */
  void giveUp(int w) {
    Waiter waiter = state.waiters[w];
    boolean out = waiter.phase == Phase.ASKING || waiter.phase == Phase.TRYING;
    abandon(waiter.id, Kind.ACQUIRE);
    abandon(waiter.id, Kind.TRY);
    leave(waiter.id, waiter.stray || out);
    waiter.rest();
  }

  /** It unlocks. The reply may grant the lock to another waiter of its service. */
  void release(int w) {
    new Posts(state).sendTooEarly();
    end(w, Kind.RELEASE);
  }

  /** It unlocks, and the lock is kept for a rest of time. */
  void linger(int w) {
    end(w, Kind.LINGER);
  }

  private void end(int w, Kind how) {
    Waiter waiter = state.waiters[w];
    int tombstone = waiter.stray ? times.tombstone() : 0;
    forgetRenewal(waiter);
    command(how, waiter.id, tombstone, 0);
    waiter.rest();
  }

  /** It wants a longer lease. */
  void extend(int w) {
    state.waiters[w].since = 0;
    command(Kind.RENEW, state.waiters[w].id, times.longLease(), 0);
  }

  /** Time bounds hand-offs. */
  boolean mayHandOff(Waiter waiter) {
    boolean inTime = waiter.age < times.handOff() || setup.has(Mistake.HAND_OFFS_WITHOUT_END);
    boolean untilAsked = setup.allows(Choice.ASK) && waiter.alone;
    boolean may = untilAsked ? mayStay(waiter) : inTime;
    return setup.allows(Choice.HAND_OFF) && waiter.holds() && waiter.inside > 0 && may;
  }

  /** An alone hold is handed off until somebody asks for it, and then for the time of hand-offs. */
  private boolean mayStay(Waiter waiter) {
    boolean inTime = waiter.age < times.cap() || setup.has(Mistake.HAND_OFFS_WITHOUT_CAP);
    return inTime && waiter.asked < times.handOff() && hasHalfItsLease(waiter);
  }

  private boolean hasHalfItsLease(Waiter waiter) {
    return waiter.timer * 2 >= times.lease() || setup.has(Mistake.TAKEN_WITH_LITTLE_LEASE);
  }

  /**
   * Whether the process may keep the hold without a thread inside, and whether one may take it
   * again. The time counts from the acquisition.
   */
  boolean mayRetain(Waiter waiter) {
    boolean inTime = waiter.age < times.retain();
    boolean alone = waiter.alone || setup.has(Mistake.RETAINS_A_HOLD_THAT_OTHERS_WAIT_FOR);
    boolean calm = setup.allows(Choice.ASK) ? !isWanted(waiter) : waiter.since == NONE;
    boolean may = alone && inTime && calm && hasHalfItsLease(waiter);
    return setup.allows(Choice.RETAIN) && waiter.has() && may;
  }

  /** By another process that has asked, or by a thread at the gate that cannot take it over. */
  private boolean isWanted(Waiter waiter) {
    boolean here = waiter.otherLease && !setup.has(Mistake.OTHER_LEASE_WAITS);
    return waiter.asked != NONE || here;
  }

  /** The thread that is inside unlocks, and the process keeps the hold. */
  void retain(int w) {
    Waiter waiter = state.waiters[w];
    waiter.phase = Phase.RETAINING;
    waiter.inside = 0;
    if (setup.has(Mistake.RETAIN_TIME_FROM_THE_UNLOCK)
        || setup.has(Mistake.UNASKED_TIME_FROM_THE_UNLOCK)) {
      waiter.age = 0;
    }
  }

  /** The thread that is inside unlocks, and another thread of the process is woken. */
  void handOff(int w) {
    Waiter waiter = state.waiters[w];
    waiter.inside = 0;
    if (setup.allows(Choice.ASK)) {
      waiter.phase = Phase.HANDED_OFF;
    } // else the other thread takes it over at once
  }

  /** The thread that was woken gives up. */
  void giveUpHandedOff(int w) {
    Waiter waiter = state.waiters[w];
    if (setup.has(Mistake.FORGETS_THE_ASK)) {
      waiter.asked = NONE;
    }
    if (mayRetain(waiter)) {
      retain(w);
    } else {
      release(w);
    }
  }

  /** A thread comes to the gate that cannot take the hold over. */
  void comeWithOtherLease(int w) {
    state.waiters[w].otherLease = true;
  }

  boolean mayTakeAgain(Waiter waiter) {
    return waiter.phase == Phase.RETAINING
        && (mayRetain(waiter) || setup.has(Mistake.TAKEN_AFTER_THE_TIME));
  }

  /** A thread of the process takes the hold that is handed off or kept, without a command. */
  void takeOver(int w) {
    state.waiters[w].phase = Phase.HOLDING;
  }

  /** The process gives back what it keeps. The hold ends here before the command is sent. */
  void giveBack(int w) {
    if (setup.has(Mistake.GIVES_BACK_BEFORE_THE_END) || setup.has(Mistake.ASKED_BEFORE_THE_END)) {
      command(Kind.RELEASE, state.waiters[w].id, 0, 0);
    } else {
      endUnused(w);
    }
  }

  private void endUnused(int w) {
    state.unusedId = setup.allows(Choice.TRY) ? state.waiters[w].id : NONE;
    release(w);
  }

  // What is due

  /** What a waiter must do before time passes. */
  enum Duty {
    NONE(""),
    ASK("%s asks again"),
    RETRY("%s got no reply to its acquire, and asks again"),
    RENEW("%s renews its lease"),
    FORGET_RENEWAL("%s got no reply to its renewal"),
    UNLOCK("a thread of %s leaves its section, and unlocks"),
    TAKE_OVER("the thread of %s that was woken takes the hold over"),
    GIVE_UP("%s has tried for long enough, and gives up"),
    GIVE_BACK("the process of %s has kept the hold for long enough, and gives it back"),
    LOSE("%s sees that its lease is over, and gives the lock back");

    private final String text;

    Duty(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  Duty duty(Waiter waiter) {
    boolean timedOut = waiter.since >= times.timeout();
    return switch (waiter.phase) {
      case IDLE -> Duty.NONE;
      case TRYING -> timedOut ? Duty.GIVE_UP : Duty.NONE;
      case ASKING -> timedOut ? Duty.RETRY : Duty.NONE;
      case WAITING -> {
        if (waiter.patience == 0 && !waiter.signalled) {
          yield Duty.GIVE_UP;
        }
        yield waiter.signalled || waiter.timer == 0 ? Duty.ASK : Duty.NONE;
      }
      case HOLDING -> {
        if (waiter.timer == 0) {
          yield Duty.LOSE;
        }
        if (setup.allows(Choice.HAND_OFF) && waiter.inside >= times.section()) {
          yield Duty.UNLOCK;
        }
        boolean renews = waiter.since == NONE && waiter.timer <= times.lease() / 2;
        yield timedOut ? Duty.FORGET_RENEWAL : renews ? Duty.RENEW : Duty.NONE;
      }
      case HANDED_OFF -> waiter.timer == 0 ? Duty.LOSE : Duty.TAKE_OVER;
      case RETAINING -> {
        if (waiter.timer == 0) {
          yield Duty.LOSE;
        }
        boolean over = waiter.age >= times.retain() || !waiter.alone;
        boolean wanted = isWanted(waiter) || !hasHalfItsLease(waiter);
        if (over || (setup.allows(Choice.ASK) && wanted)) {
          yield Duty.GIVE_BACK;
        }
        yield timedOut ? Duty.FORGET_RENEWAL : Duty.NONE;
      }
    };
  }

  void perform(int w, Duty duty) {
    Waiter waiter = state.waiters[w];
    switch (duty) {
      case ASK -> ask(w);
      case RETRY -> {
        abandon(waiter.id, Kind.ACQUIRE);
        waiter.stray = true;
        waiter.alone = false;
        ask(w);
      }
      case RENEW -> {
        waiter.since = 0;
        command(Kind.RENEW, waiter.id, times.lease(), 0);
      }
      case FORGET_RENEWAL -> forgetRenewal(waiter);
      case UNLOCK -> release(w);
      case TAKE_OVER -> takeOver(w);
      case GIVE_UP -> giveUp(w);
      case GIVE_BACK -> endUnused(w);
      case LOSE -> lose(waiter);
      case NONE -> throw new IllegalArgumentException("nothing is due");
    }
  }

  void ask(int w) {
    Waiter waiter = state.waiters[w];
    waiter.phase = Phase.ASKING;
    waiter.since = 0;
    waiter.timer = 0;
    waiter.signalled = false;
    if (setup.allows(Choice.ASK) && !setup.has(Mistake.ALONE_IS_GUESSED)) {
      waiter.alone = hears(w);
    }
    command(Kind.ACQUIRE, waiter.id, 0, waiter.ticket);
  }

  /** Its lease is over, or the store does not have it any more. The store may have it longer. */
  void lose(Waiter waiter) {
    forgetRenewal(waiter);
    if (!setup.has(Mistake.NO_LEAVE_ON_LOSS)) {
      leave(waiter.id, waiter.stray);
    }
    waiter.rest();
  }

  // Messages

  void leave(int id, boolean mayArriveLate) {
    boolean buries = mayArriveLate && !setup.has(Mistake.NO_TOMBSTONE);
    command(Kind.LEAVE, id, buries ? times.tombstone() : 0, 0);
  }

  private void command(Kind kind, int id, int value, int ticket) {
    state.messages.add(new Message(kind, id, times.delay(), value, ticket, 0, false));
  }

  private void forgetRenewal(Waiter waiter) {
    if (waiter.since != NONE) {
      abandon(waiter.id, Kind.RENEW);
      waiter.since = NONE;
    }
  }

  /** The caller gives a command up: it may still run, but nobody hears a reply. */
  private void abandon(int id, Kind command) {
    state.messages.removeIf(each -> each.id() == id && each.kind().answers(command));
    state.messages.replaceAll(
        each -> each.id() == id && each.kind() == command ? each.abandoned() : each);
  }
}
