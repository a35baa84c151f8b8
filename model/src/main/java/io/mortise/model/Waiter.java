package io.mortise.model;

import static io.mortise.model.State.NONE;

/**
 * A thread or a lease request that takes the lock again and again: what Acquisition, QueuePlace and
 * HeldLease know.
 */
final class Waiter {
  enum Phase {
    /** It wants nothing. */
    IDLE,
    /** Its try is out. */
    TRYING,
    /** Its acquire is out. */
    ASKING,
    /** It was told to wait. */
    WAITING,
    /** It believes that it holds. */
    HOLDING,
    /** The hold was handed off, and the thread that was woken has not taken it over yet. */
    HANDED_OFF,
    /** Its process keeps the hold, and no thread is inside. */
    RETAINING;

    private static final Phase[] ALL = values();
  }

  Phase phase = Phase.IDLE;

  /** Its acquisition id, NONE while idle. */
  int id = NONE;

  /** Its ticket, 0 if the store never gave one. */
  int ticket;

  /** How long its acquire, or while it holds its renewal, is out. NONE: no command is out. */
  int since = NONE;

  /** While it waits, until it asks again. While it holds, until its deadline. */
  int timer;

  /** Whether a message came since it asked. */
  boolean signalled;

  /** Whether a command of this id was given up that may still arrive. */
  boolean stray;

  /** Whether it was told that a forced unlock revoked its id. */
  boolean revoked;

  /** For how long it holds, and for how long the thread that is inside. Up to what matters. */
  int age;

  int inside;

  /**
   * Whether nobody waited before its hold, as far as it knows, and no message was missed since.
   * Where waiters ask, the store says it with HELD, and no message was missed since the acquire was
   * sent.
   */
  boolean alone;

  /** How long ago another process asked for its alone hold first. Up to what matters. */
  int asked = NONE;

  /** Whether a thread waits at its gate that cannot take the hold over. */
  boolean otherLease;

  /** For how long it still waits for a hold that perhaps no thread uses. NONE: it does not try. */
  int patience = NONE;

  /** History: whether another had the lock or waited for it since the try began. */
  boolean met;

  /** History: for how long the store has not had the hold that its process has. */
  int ended;

  /** History: whether it has waited since before the hold that is now. */
  boolean early;

  /** History: for how long it has waited for a lock that no process has a lease of. */
  int starving;

  boolean waits() {
    return phase == Phase.ASKING || phase == Phase.WAITING;
  }

  /** It holds, and its deadline has not passed. */
  boolean holds() {
    return phase == Phase.HOLDING && timer > 0;
  }

  /** No thread is inside, though its process has the lock. */
  boolean isUnused() {
    return phase == Phase.RETAINING || phase == Phase.HANDED_OFF;
  }

  /** Its process has the lock, whether or not a thread is inside. */
  boolean has() {
    return holds() || isUnused();
  }

  boolean tries() {
    return phase == Phase.TRYING || patience != NONE;
  }

  /** It wants nothing any more. */
  void rest() {
    set(new Waiter());
  }

  void tick(int longest) {
    timer = Math.max(0, timer - 1);
    since = since == NONE ? NONE : Math.min(longest, since + 1);
    patience = waits() && patience > 0 ? patience - 1 : patience;
  }

  void set(Waiter from) {
    phase = from.phase;
    id = from.id;
    ticket = from.ticket;
    since = from.since;
    timer = from.timer;
    signalled = from.signalled;
    stray = from.stray;
    revoked = from.revoked;
    age = from.age;
    inside = from.inside;
    alone = from.alone;
    asked = from.asked;
    otherLease = from.otherLease;
    patience = from.patience;
    met = from.met;
    ended = from.ended;
    early = from.early;
    starving = from.starving;
  }

  void code(Coder c, boolean asks) {
    phase = c.of(phase, Phase.ALL);
    if (phase != Phase.IDLE) {
      id = c.of(id);
      ticket = c.of(ticket);
      since = c.of(since);
      timer = c.of(timer);
      age = c.of(age);
      inside = c.of(inside);
      starving = c.of(starving);
      signalled = c.of(signalled);
      stray = c.of(stray);
      revoked = c.of(revoked);
      alone = c.of(alone);
      early = c.of(early);
      if (asks) {
        asked = c.of(asked);
        otherLease = c.of(otherLease);
        patience = c.of(patience);
        met = c.of(met);
        ended = c.of(ended);
      }
    }
  }
}
