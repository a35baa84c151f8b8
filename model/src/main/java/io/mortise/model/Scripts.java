package io.mortise.model;

import static io.mortise.model.State.NONE;

import io.mortise.model.Message.Kind;

/**
 * The scripts, as they are in acquire.lua, leave.lua and their parts, linger.lua, renew.lua and
 * force.lua, with the same names. Each runs alone and changes the store. Short cuts are left out:
 * they do what the whole script would do. Where waiters ask, that of acquire.lua also says that the
 * hold is alone.
 */
final class Scripts {
  private final State state;
  private final Setup setup;
  private final Times times;
  private final Store store;

  /** Who runs the script, and whether it may hear the reply. An operator is the default. */
  private int sender;

  private boolean unheard;

  Scripts(State state) {
    this.state = state;
    setup = state.setup;
    times = setup.times();
    store = state.store;
    sender = setup.services();
  }

  /** Runs the script of a command, and sends the reply unless nobody hears it. */
  void run(Message command) {
    state.replicate();
    sender = state.serviceOf(command.id());
    unheard = command.unheard();
    switch (command.kind()) {
      case ACQUIRE, TRY -> acquire(command);
      case RELEASE, LEAVE -> leave(command);
      case LINGER -> linger(command);
      case RENEW -> renew(command);
      default -> throw new IllegalArgumentException(command + " is no command");
    }
  }

  // acquire.lua

  private void acquire(Message command) {
    int id = command.id();
    if (store.holder == id) {
      confirm(id);
      store.leased = true;
      state.used();
      held(command, false);
    } else if (store.tombstone[id] > 0) {
      reply(command, Kind.TOO_LATE, 0, 0);
    } else if (command.kind() == Kind.TRY) {
      attempt(command);
    } else {
      joinAndGrant(command);
    }
  }

  /**
   * The id holds already, so its mailbox has answered. If it was called, nothing has raised the
   * expiry of its grant window: only a holder renews, and this is where it learns that it holds.
   */
  private void confirm(int id) {
    boolean first = store.called[id] || setup.has(Mistake.EACH_CONFIRMATION_IS_THE_FIRST);
    if (first) {
      store.ttl = times.lease();
    } else {
      keep(times.lease());
    }
    if (store.called[id] && !setup.has(Mistake.CONFIRMED_STAYS_CALLED)) {
      store.remove(id);
    }
    store.silent[state.serviceOf(id)] = NONE;
    store.heard[id] = 0;
  }

  /** Takes a free lock, also if others wait. */
  private void attempt(Message command) {
    if (store.isFree()) {
      enter(command, wouldBeAlone(command.id()));
    } else {
      boolean perhapsUnused = wanted() && store.first() == NONE;
      reply(command, Kind.BUSY, perhapsUnused ? 1 : 0, 0);
    }
  }

  /** The short cut: nobody holds the lock, waits for it or is remembered. */
  private boolean wouldBeAlone(int id) {
    boolean asks = setup.allows(Choice.ASK) && !setup.isOlder(state.serviceOf(id));
    return asks && store.isEmpty();
  }

  /** The lock is free: the id acquires it. */
  private void enter(Message command, boolean alone) {
    take(command.id(), times.lease(), true);
    if (alone) {
      store.field = Store.ALONE;
    }
    held(command, alone);
  }

  private void held(Message command, boolean alone) {
    int value = alone ? Message.ALONE : Message.ORDINARY;
    reply(command, Kind.HELD, setup.allows(Choice.ASK) ? value : 0, 0);
  }

  private void joinAndGrant(Message command) {
    int id = command.id();
    boolean free = store.isFree();
    boolean alone = wouldBeAlone(id);
    int left = free ? -2 : store.ttl;
    if (setup.has(Mistake.CALLED_IN_TIME_IS_SILENT)) {
      dropSilent();
    }
    int ticket = join(id, command.ticket());
    if (free && setup.has(Mistake.NON_HEAD_DOES_NOT_GRANT)) {
      free = store.first() == id;
    }
    if (free) {
      int head = grant(id, NONE);
      if (head == id) {
        enter(command, alone);
        return;
      }
      left = head == NONE ? -2 : times.window();
    }
    if (setup.has(Mistake.PURGES_ITSELF) && store.waits(id)) {
      store.alive[id] = times.alive();
    }
    if (!setup.isOlder(state.serviceOf(id)) && mayAsk(id)) {
      wanted();
    }
    reply(command, Kind.WAIT, left, ticket);
  }

  private boolean mayAsk(int id) {
    return store.first() == id || !setup.has(Mistake.ONLY_THE_FIRST_ASKS);
  }

  // leave.lua

  private void leave(Message command) {
    int id = command.id();
    boolean held = store.holder == id;
    if (held) {
      store.free();
      state.used();
    }
    withdraw(id, command.value());
    if (store.isFree()) {
      // the id of a gate whose holds may be alone has another suffix, so no reply grants to it
      boolean granting = command.kind() == Kind.RELEASE && !setup.allows(Choice.ASK);
      int head = grant(NONE, granting ? state.serviceOf(id) : NONE);
      if (granting && head != NONE && state.serviceOf(head) == state.serviceOf(id)) {
        Message granted = new Message(Kind.GRANTED, head, 0, 0, 0, command.age(), false);
        send(granted, command.unheard());
      }
    }
  }

  // linger.lua

  private void linger(Message command) {
    int id = command.id();
    if (store.holder == id) {
      take(setup.has(Mistake.REST_KEEPS_THE_ID) ? id : State.REST, times.rest(), true);
      store.promised = times.rest();
    }
    withdraw(id, command.value());
  }

  // renew.lua

  private void renew(Message command) {
    boolean held = store.holder == command.id();
    if (held) {
      keep(command.value());
    }
    reply(command, Kind.RENEWED, held ? command.value() : 0, 0);
  }

  // force.lua

  /** Ends the hold of any holder. The forcing client is none of the waiters. */
  void force() {
    state.replicate();
    int holder = store.holder;
    store.free();
    store.promised = 0;
    if (holder != State.REST) {
      revoke(holder);
    }
    if (!setup.has(Mistake.FORCE_DOES_NOT_GRANT)) {
      grant(NONE, NONE);
    }
  }

  // The parts that scripts share

  /**
   * The id joins the queue or stays in it. If it was called, it waits again. The ticket of a new id
   * says that it is alive. One that asks again counts as alive for a while from now.
   */
  private int join(int id, int before) {
    store.silent[state.serviceOf(id)] = NONE;
    boolean present = store.ticket[id] > 0;
    if (setup.has(Mistake.TWO_STRUCTURES)) {
      present = store.alive[id] > 0;
    }
    boolean returns = !present && before > 0 && !setup.has(Mistake.NEW_TICKET);
    if (!present) {
      store.ticket[id] = returns ? before : state.newTicket();
      boolean says = !returns && !setup.has(Mistake.TICKET_DOES_NOT_COUNT);
      store.fresh[id] = says ? times.alive() : 0;
    }
    if (returns || (present && writesAlive())) {
      store.alive[id] = times.alive();
    }
    store.called[id] &= setup.has(Mistake.STAYS_CALLED);
    store.heard[id] = times.silence();
    return store.ticket[id];
  }

  private boolean writesAlive() {
    return !setup.has(Mistake.PURGES_ITSELF) && !setup.has(Mistake.RECHECK_IS_NOT_NOTED);
  }

  /**
   * The lock is free: gives it to the first live waiter. Returns the id that it belongs to now.
   *
   * @param own the caller that waits itself: it is only returned, and then takes with its lease
   * @param granting the service to whose waiters the reply may grant, or NONE
   */
  private int grant(int own, int granting) {
    dropSilent();
    for (int head = store.first(); head != NONE; head = store.first()) {
      boolean live = state.lives(head);
      if (live && head != own && calls() && call(head)) {
        return NONE;
      }
      boolean inReply = live && head != own && granting == state.serviceOf(head);
      boolean told = live && head != own && !inReply && tell(head);
      if (told) {
        take(head, times.window(), false);
        return head;
      }
      store.remove(head);
      if (live && head == own) {
        return head;
      }
      if (inReply) {
        boolean whole = !setup.has(Mistake.REPLY_GRANTS_A_WINDOW);
        take(head, whole ? times.lease() : times.window(), whole);
        return head;
      }
    }
    return NONE;
  }

  /**
   * The lock is free, so an id that was called did not answer. Its grant was made a window ago or
   * earlier. So its mailbox is marked as silent since then, and waiters that have asked later live.
   */
  private void dropSilent() {
    for (int id = 0; id < store.called.length; id++) {
      int service = state.serviceOf(id);
      if (store.called[id]) {
        store.remove(id);
        store.heard[id] = 0;
        store.silent[service] = marks(service) ? times.window() : store.silent[service];
      }
    }
  }

  private boolean marks(int service) {
    boolean excepted = setup.has(Mistake.OTHERS_ARE_SILENT) && service == sender;
    return !excepted && !setup.has(Mistake.NO_MARK);
  }

  private void take(int taker, int time, boolean leased) {
    if (store.holder != taker) {
      state.changesHands();
    }
    store.holder = taker;
    store.ttl = time;
    store.leased = leased;
    boolean alone = setup.has(Mistake.GRANTED_HOLDS_ARE_ALONE);
    store.field = alone ? Store.ALONE : Store.ORDINARY;
    if (leased) {
      state.used();
    }
  }

  /**
   * Somebody wants the lock, and another id holds it. Asks an alone hold's process for it, once in
   * the time W. Returns whether perhaps no thread uses the hold: its process was not asked before,
   * or so lately that its answer may be on its way.
   */
  private boolean wanted() {
    int asked = store.field;
    if (asked == Store.ORDINARY) {
      return false;
    }
    if (asked == Store.ALONE || asked >= times.askAgain()) {
      int heard = publish(Kind.WANTED, store.holder);
      if (heard == 0 && setup.counts()) {
        return false;
      }
      store.field = 0;
    }
    return asked == Store.ALONE || asked < times.recall();
  }

  private void withdraw(int id, int tombstone) {
    store.remove(id);
    store.silent[state.serviceOf(id)] = NONE;
    store.heard[id] = 0;
    if (tombstone > 0) {
      store.tombstone[id] = tombstone;
    }
  }

  private void revoke(int holder) {
    store.revoked[holder] = times.tombstone();
    if (!setup.has(Mistake.FORCED_STAYS_CALLED)) {
      store.remove(holder);
    }
    store.heard[holder] = 0;
    if (!setup.has(Mistake.FORCED_WITHOUT_TOMBSTONE)) {
      store.tombstone[holder] = times.tombstone();
    }
    if (!setup.has(Mistake.FORCED_WITHOUT_MESSAGE)) {
      publish(Kind.LOST, holder);
    }
  }

  /** Calls a waiter: a message tells it of its grant. False if no service listens there. */
  private boolean tell(int head) {
    int heard = publish(Kind.GRANT, head);
    boolean believed = setup.counts() || setup.has(Mistake.COUNTS_IN_A_CLUSTER);
    if (heard == 0 && believed) {
      return false;
    }
    store.called[head] = !setup.has(Mistake.CALLED_WAITS);
    store.heard[head] = Store.OWES;
    return true;
  }

  private boolean calls() {
    return setup.has(Mistake.CALL_INSTEAD_OF_GRANT) || setup.has(Mistake.ALIVE_LOWERED);
  }

  /** What scripts once did instead of a grant: the head stays in the queue and has to acquire. */
  private boolean call(int head) {
    if (publish(Kind.GRANT, head) == 0) {
      return false;
    }
    store.alive[head] = times.window();
    store.fresh[head] = 0;
    return true;
  }

  private void keep(int time) {
    boolean shortens = setup.has(Mistake.SHORTENS_THE_LEASE);
    store.ttl = shortens ? time : Math.max(store.ttl, time);
  }

  // Messages

  /** Returns how many subscribers PUBLISH counts. */
  private int publish(Kind kind, int id) {
    if (setup.posts()) {
      post(kind, id);
      return 0;
    }
    State.Service service = state.services[state.serviceOf(id)];
    boolean subscribed = service.isSubscribed();
    if (subscribed && !service.halfOpen) {
      send(new Message(kind, id, 0, 0, 0, 0, false), false);
    }
    return subscribed && setup.counts() ? 1 : 0;
  }

  /** The message is in the reply, and the process that ran the script will send it. */
  private void post(Kind kind, int id) {
    boolean sentBefore = setup.has(Mistake.POSTED_BEFORE_ITS_SCRIPT);
    if (setup.has(Mistake.POSTS_THE_LAST)) {
      state.messages.removeIf(each -> each.isPost() && each.sender() == sender);
    }
    if (state.sends(sender) && !sentBefore) {
      state.messages.add(new Message(kind, id, times.delay(), sender + 1, 0, 0, unheard));
    }
  }

  private void reply(Message command, Kind kind, int value, int ticket) {
    Message reply = new Message(kind, command.id(), 0, value, ticket, 0, false);
    send(reply, command.unheard());
  }

  private void send(Message message, boolean unheard) {
    if (!unheard
        && state.services[state.serviceOf(message.id())].life != State.Service.Life.CRASHED) {
      state.messages.add(message.within(message.kind().isMail() ? times.delay() : 0));
    }
  }
}
