package io.mortise.model;

import static io.mortise.model.State.NONE;

import io.mortise.model.Waiter.Phase;

/**
 * What reaches waiters and their services: replies, messages, and the news that messages were
 * missed. The rules of Dialog and Mailbox.
 */
final class Arrivals {
  private final State state;
  private final Setup setup;
  private final Times times;
  private final Clients clients;

  Arrivals(State state) {
    this.state = state;
    setup = state.setup;
    times = setup.times();
    clients = new Clients(state);
  }

  void hear(Message message) {
    int w = state.waiterOf(message.id());
    Waiter waiter = state.waiters[w];
    boolean current = waiter.id == message.id();
    switch (message.kind()) {
      case HELD, WAIT, TOO_LATE, BUSY -> {
        if (current && (waiter.phase == Phase.ASKING || waiter.phase == Phase.TRYING)) {
          answered(w, message);
        }
      }
      case RENEWED -> {
        if (current && (waiter.phase == Phase.HOLDING || waiter.isUnused())) {
          renewed(waiter, message);
        }
      }
      case GRANTED -> granted(w, message);
      case GRANT -> hint(waiter, message);
      case LOST -> {
        if (current) {
          revoked(waiter);
        }
      }
      case WANTED -> {
        if (current) {
          wanted(w);
        }
      }
      default -> throw new IllegalArgumentException(message + " is not for a client");
    }
  }

  private void answered(int w, Message reply) {
    Waiter waiter = state.waiters[w];
    switch (reply.kind()) {
      case HELD -> {
        if (setup.allows(Choice.ASK)) {
          learnWhetherAlone(waiter, reply.value() == Message.ALONE);
        }
        take(w, waiter.since);
      }
      case WAIT -> queued(waiter, reply);
      case BUSY -> busy(w, reply.value() == 1);
      default -> replace(w);
    }
  }

  /** The store says whether nobody held the lock or waited for it. An ask may have come before. */
  private void learnWhetherAlone(Waiter waiter, boolean told) {
    boolean guessed =
        setup.has(Mistake.ALONE_IS_GUESSED) || setup.has(Mistake.GRANTED_HOLDS_ARE_ALONE);
    waiter.alone = waiter.alone && (told || guessed) && waiter.asked == NONE;
    waiter.asked = NONE;
  }

  /**
   * Another id holds the lock. Perhaps no thread uses that hold, and its process was asked for it.
   * Then the try waits for as long as that takes.
   */
  private void busy(int w, boolean perhapsUnused) {
    Waiter waiter = state.waiters[w];
    if (perhapsUnused && !setup.has(Mistake.NO_RECALL)) {
      waiter.patience = times.recall();
      clients.ask(w);
    } else {
      waiter.rest();
    }
  }

  /** The store says that the id holds. The lease counts from before the command was sent. */
  void take(int w, int age) {
    Waiter waiter = state.waiters[w];
    int left = times.lease() - (setup.has(Mistake.LEASE_COUNTS_FROM_THE_REPLY) ? 0 : age);
    if (waiter.revoked) {
      clients.leave(waiter.id, waiter.stray);
      replace(w);
    } else if (left <= 0) {
      clients.leave(waiter.id, waiter.stray);
      waiter.ticket = 0;
      replace(w);
    } else {
      waiter.phase = Phase.HOLDING;
      waiter.timer = left;
      waiter.since = NONE;
      waiter.ticket = 0;
      waiter.signalled = false;
      waiter.patience = NONE;
    }
  }

  private void queued(Waiter waiter, Message message) {
    waiter.phase = Phase.WAITING;
    waiter.alone = false;
    waiter.since = NONE;
    waiter.ticket = message.ticket();
    waiter.timer = setup.nextCheck(message.value());
  }

  /** The id can never hold. A new one asks for the same place. */
  private void replace(int w) {
    Waiter waiter = state.waiters[w];
    if (waiter.phase == Phase.TRYING) {
      waiter.rest(); // it fails
      return;
    }
    waiter.asked = NONE;
    waiter.id = state.newId(w);
    waiter.stray = false;
    waiter.revoked = false;
    clients.ask(w);
  }

  private void renewed(Waiter waiter, Message message) {
    if (message.value() == 0) {
      clients.lose(waiter);
    } else {
      waiter.timer = Math.max(waiter.timer, message.value() - waiter.since);
      waiter.since = NONE;
    }
  }

  /** The reply to another's release grants the lock to this id. */
  private void granted(int w, Message message) {
    Waiter waiter = state.waiters[w];
    if (waiter.id != message.id()) {
      clients.leave(message.id(), false);
    } else if (waiter.phase == Phase.WAITING && !waiter.revoked && message.age() < times.lease()) {
      take(w, message.age());
    } else if (waiter.waits()) {
      waiter.signalled = true;
    }
  }

  /** A grant by message: the waiter asks. A grant to an id that is over is given back. */
  private void hint(Waiter waiter, Message message) {
    if (waiter.id != message.id()) {
      if (!setup.has(Mistake.UNKNOWN_GRANT_IGNORED)) {
        clients.leave(message.id(), false);
      }
    } else if (waiter.waits()) {
      waiter.signalled = true;
    }
  }

  /** Another process wants the lock. Only the first ask counts. */
  private void wanted(int w) {
    Waiter waiter = state.waiters[w];
    boolean out = waiter.phase == Phase.ASKING || waiter.phase == Phase.TRYING;
    if (waiter.phase == Phase.RETAINING) {
      clients.giveBack(w);
    } else if (out ? !setup.has(Mistake.EARLY_ASK_IGNORED) : waiter.alone) {
      boolean first = waiter.asked == NONE || setup.has(Mistake.EACH_ASK_COUNTS);
      waiter.asked = first ? 0 : waiter.asked;
    }
  }

  private void revoked(Waiter waiter) {
    boolean out = waiter.phase == Phase.ASKING || waiter.phase == Phase.TRYING;
    if (out && setup.has(Mistake.EARLY_LOSS_IGNORED)) {
      return;
    }
    waiter.revoked = true;
    if (waiter.phase == Phase.HOLDING || waiter.phase == Phase.HANDED_OFF) {
      clients.lose(waiter);
    } else if (waiter.phase == Phase.RETAINING) {
      if (!setup.has(Mistake.RETAINED_THOUGH_REVOKED)) {
        clients.lose(waiter);
      }
    } else {
      waiter.signalled = true;
    }
  }

  /** Messages may have been missed, so all that wait ask. */
  void reconnected(int service) {
    for (int w = 0; w < state.waiters.length; w++) {
      Waiter waiter = state.waiters[w];
      if (setup.serviceOf(w) == service && waiter.waits()) {
        waiter.signalled = true;
      }
    }
    missed(service);
  }

  /** Messages may be missed from now on, so what its process has is kept no more. */
  void missed(int service) {
    if (setup.has(Mistake.KEPT_IN_A_GAP) || setup.has(Mistake.KEPT_AFTER_A_RESTART)) {
      return;
    }
    for (int w = 0; w < state.waiters.length; w++) {
      if (setup.serviceOf(w) == service) {
        state.waiters[w].alone = false;
      }
    }
  }
}
