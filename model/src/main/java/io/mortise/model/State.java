package io.mortise.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * All that matters at one instant: the keys of one lock in the store, its waiters in their
 * services, and the messages in flight.
 *
 * <p>There is no clock. Each time in a state is what is left of it, so two states that differ only
 * in the hour are one state. What a comment calls <em>history</em> is read by no script and no
 * client. The rules need it.
 */
final class State {
  static final int NONE = -1;

  /** Holds the lock for the rest of a hold that was left. No client has this id. */
  static final int REST = -2;

  final Setup setup;
  final Store store;

  /**
   * What a replica would have after a stale failover: the store before the last script. Without
   * failovers, the store itself.
   */
  final Store replica;

  final Waiter[] waiters;
  final Service[] services;

  /** The messages in flight: commands, replies, and what scripts published. */
  final List<Message> messages = new ArrayList<>();

  /** How many more faults there may be. */
  int faultsLeft;

  /** History: how many ids joined the queue too late to know that their process stops. */
  int lateJoins;

  /** History: for how long the process that holds has kept a live waiter waiting by this hold. */
  int kept;

  /** History: for how long the hold that is now was kept unused while a live waiter waited. */
  int unused;

  /** History: the id whose hold is on its way back to the store, and no thread used it. */
  int unusedId = NONE;

  /**
   * History: whether a failover or a restart has lost data, and which id a failover gave the lock
   * back to.
   */
  boolean failedOver;

  int revived = NONE;

  State(Setup setup) {
    this.setup = setup;
    store = new Store(setup.waiters(), setup.services());
    replica = setup.allows(Fault.FAILOVER) ? new Store(setup.waiters(), setup.services()) : store;
    waiters = new Waiter[setup.waiters()];
    Arrays.setAll(waiters, w -> new Waiter());
    services = new Service[setup.services()];
    Arrays.setAll(services, s -> new Service());
    faultsLeft = setup.mostFaults();
  }

  /** A process with its mailbox. */
  static final class Service {
    enum Life {
      RUNNING,
      FROZEN,
      CRASHED;

      private static final Life[] ALL = values();
    }

    Life life = Life.RUNNING;

    /** Whether its subscription is interrupted. */
    boolean deaf;

    /** Whether its subscription is interrupted, and neither it nor the store knows. */
    boolean halfOpen;

    boolean isSubscribed() {
      return life != Life.CRASHED && !deaf;
    }

    void code(Coder c) {
      life = c.of(life, Life.ALL);
      deaf = c.of(deaf);
    }

    void codeHalfOpen(Coder c) {
      halfOpen = c.of(halfOpen);
    }
  }

  // Ids: each waiter has a few, a1, a2, ... Each is used again when nothing remembers it.

  static String name(int id) {
    if (id == REST) {
      return "the rest of a hold";
    }
    return waiterName(id / Store.IDS_EACH) + (id % Store.IDS_EACH + 1);
  }

  static String waiterName(int waiter) {
    return String.valueOf((char) ('a' + waiter));
  }

  static String serviceName(int service) {
    return String.valueOf((char) ('A' + service));
  }

  int waiterOf(int id) {
    return id / Store.IDS_EACH;
  }

  int serviceOf(int id) {
    return setup.serviceOf(waiterOf(id));
  }

  boolean runs(int waiter) {
    return services[setup.serviceOf(waiter)].life == Service.Life.RUNNING;
  }

  /** Whether a process has not crashed. The operator is none of them, and has not. */
  boolean sends(int service) {
    return service == services.length || services[service].life != Service.Life.CRASHED;
  }

  /** An id that no part of the state remembers. */
  int newId(int waiter) {
    long known = ids() >> (waiter * Store.IDS_EACH);
    int free = Long.numberOfTrailingZeros(~known);
    if (free >= Store.IDS_EACH) {
      throw new IllegalStateException("Store.IDS_EACH is too small for " + setup);
    }
    return waiter * Store.IDS_EACH + free;
  }

  /** How many ids of a waiter any part of the state remembers. */
  int idsOf(int waiter) {
    return Long.bitCount((ids() >> (waiter * Store.IDS_EACH)) & ((1 << Store.IDS_EACH) - 1));
  }

  /** The ids that any part of the state remembers, as bits. */
  private long ids() {
    long all = 0;
    for (int id = 0; id < store.ticket.length; id++) {
      all |= store.remembers(id) || replica.remembers(id) ? 1L << id : 0;
    }
    for (Waiter waiter : waiters) {
      all |= waiter.id == NONE ? 0 : 1L << waiter.id;
    }
    for (Message message : messages) {
      all |= 1L << message.id();
    }
    return all;
  }

  // Tickets

  /** A ticket behind all that were ever given. */
  int newTicket() {
    return Long.SIZE - Long.numberOfLeadingZeros(tickets());
  }

  /** The tickets that any part of the state remembers, as bits. 0 is always among them. */
  private long tickets() {
    long all = 1;
    for (int id = 0; id < store.ticket.length; id++) {
      all |= 1L << store.ticket[id] | 1L << replica.ticket[id];
    }
    for (Waiter waiter : waiters) {
      all |= 1L << waiter.ticket;
    }
    for (Message message : messages) {
      all |= 1L << message.ticket();
    }
    return all;
  }

  private static int rank(long known, int ticket) {
    return Long.bitCount(known & ((1L << ticket) - 1));
  }

  // History

  /** The lock is of use to a process, so nobody starves. */
  void used() {
    for (Waiter waiter : waiters) {
      waiter.starving = 0;
    }
  }

  /** The lock gets another holder. */
  void changesHands() {
    kept = 0;
    unused = 0;
    for (Waiter waiter : waiters) {
      waiter.early = setup.allows(Choice.RETAIN) && waiter.phase == Waiter.Phase.WAITING;
    }
  }

  /**
   * A process stops. An id of it that asks after a grant to another says that the process lives, so
   * it may be granted the lock too.
   */
  void stops(int service) {
    boolean granted = !store.isFree() && !store.leased && serviceOf(store.holder) == service;
    int ago = setup.times().window() - store.ttl;
    for (int id = 0; id < store.ticket.length; id++) {
      boolean waits = store.waits(id) && serviceOf(id) == service;
      if (granted && waits && setup.times().alive() - store.life(id) <= ago) {
        lateJoins++;
      }
    }
    for (Message message : messages) {
      if (message.kind() == Message.Kind.ACQUIRE && serviceOf(message.id()) == service) {
        lateJoins++;
      }
    }
  }

  /** Remembers of each try whether another had the lock or waited for it. */
  void watchTries() {
    for (int w = 0; w < waiters.length; w++) {
      Waiter waiter = waiters[w];
      waiter.met = waiter.tries() && (waiter.met || isWantedByOthers(w));
    }
  }

  /** Another waits in the queue, or holds. A process that keeps a hold unused does not want it. */
  private boolean isWantedByOthers(int w) {
    for (int id = 0; id < store.ticket.length; id++) {
      if (store.waits(id) && waiterOf(id) != w) {
        return true;
      }
    }
    int holder = store.holder;
    if (holder < 0 || waiterOf(holder) == w || holder == unusedId) {
      return false;
    }
    Waiter has = waiters[waiterOf(holder)];
    return has.id != holder || has.phase != Waiter.Phase.RETAINING;
  }

  /** It has joined or asked lately, and its mailbox has not been silent since. */
  boolean lives(int id) {
    int life = store.life(id);
    int silent = store.silent[serviceOf(id)];
    boolean all = setup.has(Mistake.ALL_ARE_SILENT) || setup.has(Mistake.OTHERS_ARE_SILENT);
    boolean askedLater = setup.times().alive() - life < silent && !all;
    return life > 0 && (silent == NONE || askedLater);
  }

  /** A script runs. The replica has not seen it. */
  void replicate() {
    replica.set(store);
  }

  // The form of a state

  State copy() {
    State copy = new State(setup);
    copy.store.set(store);
    if (replica != store) {
      copy.replica.set(replica);
    }
    for (int w = 0; w < waiters.length; w++) {
      copy.waiters[w].set(waiters[w]);
    }
    for (int s = 0; s < services.length; s++) {
      copy.services[s].life = services[s].life;
      copy.services[s].deaf = services[s].deaf;
      copy.services[s].halfOpen = services[s].halfOpen;
    }
    copy.messages.addAll(messages);
    copy.faultsLeft = faultsLeft;
    copy.lateJoins = lateJoins;
    copy.kept = kept;
    copy.unused = unused;
    copy.unusedId = unusedId;
    copy.failedOver = failedOver;
    copy.revived = revived;
    return copy;
  }

  byte[] encode() {
    normalize();
    Coder writer = Coder.writer();
    code(writer);
    return writer.written();
  }

  static State decode(Setup setup, byte[] form) {
    State state = new State(setup);
    state.code(Coder.reader(form));
    return state;
  }

  private void code(Coder c) {
    store.code(c);
    if (replica != store) {
      replica.code(c);
      failedOver = c.of(failedOver);
      revived = c.of(revived);
    }
    for (Service service : services) {
      service.code(c);
    }
    for (Waiter waiter : waiters) {
      waiter.code(c, setup.allows(Choice.ASK));
    }
    if (setup.allows(Choice.ASK)) {
      unused = c.of(unused);
      unusedId = c.of(unusedId);
    }
    if (setup.allows(Fault.HALF_OPEN)) {
      Arrays.stream(services).forEach(each -> each.codeHalfOpen(c));
    }
    if (setup.allows(Fault.RESTART)) {
      failedOver = c.of(failedOver);
    }
    faultsLeft = c.of(faultsLeft);
    lateJoins = c.of(lateJoins);
    kept = c.of(kept);
    int count = c.of(messages.size());
    for (int i = 0; i < count; i++) {
      if (i == messages.size()) {
        messages.add(Message.BLANK);
      }
      messages.set(i, messages.get(i).code(c));
    }
  }

  /** Gives states with the same future the same form. Only the order of tickets matters. */
  private void normalize() {
    kept = store.isFree() ? 0 : kept;
    unused = store.isFree() ? 0 : unused;
    unusedId = store.holder == unusedId ? unusedId : NONE;
    long ids = ids();
    long tickets = tickets();
    normalize(store, ids, tickets);
    if (replica != store) {
      normalize(replica, ids, tickets);
    }
    for (Waiter waiter : waiters) {
      waiter.ticket = rank(tickets, waiter.ticket);
    }
    messages.replaceAll(each -> each.withTicket(rank(tickets, each.ticket())));
    Collections.sort(messages);
  }

  private void normalize(Store each, long ids, long tickets) {
    each.normalize(ids, faultsLeft == 0 || !setup.losesKeys(), setup);
    for (int id = 0; id < each.ticket.length; id++) {
      each.ticket[id] = rank(tickets, each.ticket[id]);
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(store.toString());
    for (int w = 0; w < waiters.length; w++) {
      if (waiters[w].holds()) {
        text.append(
            "; %s believes that it holds for %d".formatted(waiterName(w), waiters[w].timer));
      }
    }
    return messages.isEmpty() ? text.toString() : text + "; in flight: " + messages;
  }
}
