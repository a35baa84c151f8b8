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

  /** The sorted set <em>queue</em>: the ticket of each waiting id, or 0. */
  final int[] ticket;

  /** The sorted set <em>alive</em>: how long each id counts as alive, or 0. */
  final int[] alive;

  /** In <em>alive</em>, {@code !id}: how long the id must not acquire, or 0. */
  final int[] tombstone;

  /** In <em>alive</em>, {@code ?mailbox}: until its grant ends. 0: ended. NONE: no mark. */
  final int[] unanswered;

  /** History: how long each id's process may go on being silent and is no dead one, or 0. */
  final int[] heard;

  /** History: how long each id that a forced unlock revoked must not hold again, or 0. */
  final int[] revoked;

  Store(int waiters, int services) {
    int ids = waiters * IDS_EACH;
    ticket = new int[ids];
    alive = new int[ids];
    tombstone = new int[ids];
    heard = new int[ids];
    revoked = new int[ids];
    unanswered = new int[services];
    Arrays.fill(unanswered, NONE);
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
    return isFree() && Arrays.stream(unanswered).allMatch(each -> each == NONE);
  }

  /** The first in the queue, or NONE. */
  int first() {
    int first = NONE;
    for (int id = 0; id < ticket.length; id++) {
      if (ticket[id] > 0 && (first == NONE || ticket[id] < ticket[first])) {
        first = id;
      }
    }
    return first;
  }

  /** It has asked lately, and its service has answered its last grant. */
  boolean lives(int id, int service) {
    return alive[id] > 0 && unanswered[service] != 0;
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
  }

  /** The key <em>alive</em> is deleted. */
  void deleteAlive() {
    Arrays.fill(alive, 0);
    Arrays.fill(tombstone, 0);
    Arrays.fill(heard, 0);
    Arrays.fill(unanswered, NONE);
  }

  void tick(Times length) {
    ttl = Math.max(0, ttl - 1);
    promised = Math.max(0, promised - 1);
    int longAgo = Math.max(length.askAgain(), length.recall());
    field = field < 0 ? field : Math.min(longAgo, field + 1);
    if (ttl == 0) {
      free();
    }
    for (int[] times : new int[][] {alive, tombstone, heard, revoked}) {
      for (int id = 0; id < times.length; id++) {
        times[id] = Math.max(0, times[id] - 1);
      }
    }
    for (int s = 0; s < unanswered.length; s++) {
      unanswered[s] = unanswered[s] > 0 ? unanswered[s] - 1 : unanswered[s];
    }
  }

  void set(Store from) {
    holder = from.holder;
    ttl = from.ttl;
    leased = from.leased;
    field = from.field;
    promised = from.promised;
    copy(from.ticket, ticket);
    copy(from.alive, alive);
    copy(from.tombstone, tombstone);
    copy(from.heard, heard);
    copy(from.revoked, revoked);
    copy(from.unanswered, unanswered);
  }

  private static void copy(int[] from, int[] to) {
    System.arraycopy(from, 0, to, 0, to.length);
  }

  /** Drops what can have no effect any more. The ids that are in use are given as bits. */
  void normalize(long ids, Setup setup) {
    boolean[] awaited = new boolean[unanswered.length];
    for (int id = 0; id < ticket.length; id++) {
      boolean used = ((ids >> id) & 1) == 1;
      heard[id] = used && (remembers(id) || revoked[id] > 0) ? heard[id] : 0;
      revoked[id] = used ? revoked[id] : 0;
      awaited[setup.serviceOf(id / IDS_EACH)] |= ticket[id] > 0;
    }
    for (int s = 0; s < unanswered.length; s++) {
      if (unanswered[s] == 0 && !awaited[s]) {
        unanswered[s] = NONE; // the next id of that mailbox that joins would remove it
      }
    }
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
    for (int s = 0; s < unanswered.length; s++) {
      unanswered[s] = c.of(unanswered[s]);
    }
  }

  private void code(Coder c, int id) {
    ticket[id] = c.of(ticket[id]);
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
      if (ticket[id] > 0) {
        text.append(
            "; %s waits with ticket %d, alive for %d"
                .formatted(State.name(id), ticket[id], alive[id]));
      }
      if (tombstone[id] > 0) {
        text.append("; %s has a tombstone for %d".formatted(State.name(id), tombstone[id]));
      }
    }
    return text.toString();
  }
}
