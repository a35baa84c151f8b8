package io.mortise.model;

import static io.mortise.model.State.NONE;

import java.util.Arrays;

/** The keys of one lock in the store, as queue.lua describes them. */
final class Store {
  /** How many ids of one waiter anything may remember at a time. An id nobody remembers is new. */
  static final int IDS_EACH = 4;

  /** The hash <em>lock</em>: the id that holds it, and when the key expires. */
  int holder = NONE;

  int ttl;

  /**
   * The holder's value in that hash: ALONE, how long ago it was last asked for an alone hold, or
   * ORDINARY.
   */
  int field = ORDINARY;

  static final int ORDINARY = -1;

  static final int ALONE = -2;

  /** History: whether the holder has a lease, and not only a grant window. */
  boolean leased;

  /** History: how long the rest of a hold must still keep the lock. */
  int promised;

  /** The sorted set <em>queue</em>: the ticket of each id that waits or was called, or 0. */
  final int[] ticket;

  /** Whether its ticket is negated: a message grants the lock to it, and it has not asked since. */
  final boolean[] called;

  /** How long the ticket itself says that the id is alive: the rest of A since it joined, or 0. */
  final int[] fresh;

  /** The sorted set <em>alive</em>: how long each id counts as alive that asked again, or 0. */
  final int[] alive;

  /** In <em>alive</em>, {@code !id}: how long the id must not acquire, or 0. */
  final int[] tombstone;

  /** In <em>alive</em>, {@code ?mailbox}: for how long it has been silent. NONE: no mark. */
  final int[] silent;

  /**
   * History: how long each id's process may go on being silent and is no dead one, or 0. OWES: a
   * message has granted the lock to the id, and no command of it has run since.
   */
  final int[] heard;

  static final int OWES = -1;

  /** History: how long each id that a forced unlock revoked must not hold again, or 0. */
  final int[] revoked;

  Store(int waiters, int services) {
    int ids = waiters * IDS_EACH;
    ticket = new int[ids];
    called = new boolean[ids];
    fresh = new int[ids];
    alive = new int[ids];
    tombstone = new int[ids];
    heard = new int[ids];
    revoked = new int[ids];
    silent = new int[services];
    Arrays.fill(silent, NONE);
  }

  boolean isFree() {
    return holder == NONE;
  }

  /** The short cut of acquire.lua: no key of the lock exists. */
  boolean isEmpty() {
    for (int id = 0; id < ticket.length; id++) {
      if (remembers(id)) {
        return false;
      }
    }
    return isFree() && Arrays.stream(silent).allMatch(each -> each == NONE);
  }

  /** It is in the queue, and was not called. */
  boolean waits(int id) {
    return ticket[id] > 0 && !called[id];
  }

  /** The first that waits, or NONE. */
  int first() {
    int first = NONE;
    for (int id = 0; id < ticket.length; id++) {
      if (waits(id) && (first == NONE || ticket[id] < ticket[first])) {
        first = id;
      }
    }
    return first;
  }

  /** How long the id counts as alive, by its ticket or because it has asked again. */
  int life(int id) {
    return Math.max(alive[id], fresh[id]);
  }

  /** The id leaves the queue, and alive. */
  void remove(int id) {
    ticket[id] = 0;
    called[id] = false;
    fresh[id] = 0;
    alive[id] = 0;
  }

  /** Nobody holds it. */
  void free() {
    holder = NONE;
    ttl = 0;
    leased = false;
    field = ORDINARY;
  }

  boolean remembers(int id) {
    return holder == id || ticket[id] + alive[id] + tombstone[id] > 0;
  }

  /** The key <em>queue</em> is deleted. */
  void deleteQueue() {
    Arrays.fill(ticket, 0);
    Arrays.fill(called, false);
    Arrays.fill(fresh, 0);
  }

  /** The key <em>alive</em> is deleted. */
  void deleteAlive() {
    Arrays.fill(alive, 0);
    Arrays.fill(tombstone, 0);
    Arrays.fill(silent, NONE);
    for (int id = 0; id < heard.length; id++) {
      heard[id] = Math.min(heard[id], fresh[id]);
    }
  }

  void tick(Times length) {
    ttl = Math.max(0, ttl - 1);
    promised = Math.max(0, promised - 1);
    int longAgo = Math.max(length.askAgain(), length.recall());
    field = field < 0 ? field : Math.min(longAgo, field + 1);
    if (ttl == 0) {
      free();
    }
    for (int[] times : new int[][] {fresh, alive, tombstone, heard, revoked}) {
      for (int id = 0; id < times.length; id++) {
        times[id] = times[id] > 0 ? times[id] - 1 : times[id];
      }
    }
    for (int s = 0; s < silent.length; s++) {
      silent[s] = silent[s] == NONE ? NONE : silent[s] + 1;
    }
  }

  void set(Store from) {
    holder = from.holder;
    ttl = from.ttl;
    leased = from.leased;
    field = from.field;
    promised = from.promised;
    copy(from.ticket, ticket);
    System.arraycopy(from.called, 0, called, 0, called.length);
    copy(from.fresh, fresh);
    copy(from.alive, alive);
    copy(from.tombstone, tombstone);
    copy(from.heard, heard);
    copy(from.revoked, revoked);
    copy(from.silent, silent);
  }

  private static void copy(int[] from, int[] to) {
    System.arraycopy(from, 0, to, 0, to.length);
  }

  /**
   * Drops what can have no effect any more.
   *
   * @param ids the ids that are in use, as bits
   * @param stays whether the store keeps all its keys from now on
   */
  void normalize(long ids, boolean stays, Setup setup) {
    boolean[] awaited = new boolean[silent.length];
    for (int id = 0; id < ticket.length; id++) {
      boolean used = ((ids >> id) & 1) == 1;
      heard[id] = ticket[id] > 0 ? heard[id] : 0;
      revoked[id] = used ? revoked[id] : 0;
      awaited[setup.serviceOf(id / IDS_EACH)] |= waits(id) && life(id) > 0;
      if (stays) {
        normalizeLife(id);
      }
    }
    for (int s = 0; s < silent.length; s++) {
      if (!awaited[s] || silent[s] >= setup.times().alive()) {
        silent[s] = NONE; // all that are alive will have asked later
      }
    }
  }

  /** One of the two keys says that it is alive. A called id asks before it waits again. */
  private void normalizeLife(int id) {
    alive[id] = called[id] ? 0 : Math.max(alive[id], fresh[id]);
    fresh[id] = 0;
  }

  void code(Coder c) {
    holder = c.of(holder);
    ttl = c.of(ttl);
    leased = c.of(leased);
    field = c.of(field);
    promised = c.of(promised);
    for (int from = 0; from < ticket.length; from += IDS_EACH) {
      int known = 0;
      for (int n = 0; n < IDS_EACH; n++) {
        known |= remembers(from + n) || revoked[from + n] > 0 ? 1 << n : 0;
      }
      known = c.of(known);
      for (int n = 0; n < IDS_EACH; n++) {
        if (((known >> n) & 1) == 1) {
          code(c, from + n);
        }
      }
    }
    for (int s = 0; s < silent.length; s++) {
      silent[s] = c.of(silent[s]);
    }
  }

  private void code(Coder c, int id) {
    int signed = c.of(called[id] ? -ticket[id] : ticket[id]);
    ticket[id] = Math.abs(signed);
    called[id] = signed < 0;
    fresh[id] = c.of(fresh[id]);
    alive[id] = c.of(alive[id]);
    tombstone[id] = c.of(tombstone[id]);
    heard[id] = c.of(heard[id]);
    revoked[id] = c.of(revoked[id]);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("the lock is free");
    if (!isFree()) {
      String kind = leased ? "its lease" : "its grant window";
      text =
          new StringBuilder(
              "%s has the lock, %d left of %s".formatted(State.name(holder), ttl, kind));
      if (field != ORDINARY) {
        text.append(field == ALONE ? ", alone" : ", asked for");
      }
    }
    for (int id = 0; id < ticket.length; id++) {
      if (waits(id)) {
        text.append(
            "; %s waits with ticket %d, alive for %d"
                .formatted(State.name(id), ticket[id], life(id)));
      }
      if (called[id]) {
        text.append("; %s with ticket %d was called".formatted(State.name(id), ticket[id]));
      }
      if (tombstone[id] > 0) {
        text.append("; %s has a tombstone for %d".formatted(State.name(id), tombstone[id]));
      }
    }
    return text.toString();
  }
}
