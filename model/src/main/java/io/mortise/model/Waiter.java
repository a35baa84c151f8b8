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
    /** Its acquire is out. */
    ASKING,
    /** It was told to wait. */
    WAITING,
    /** It believes that it holds. */
    HOLDING,
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

  /** Whether nobody waited before its hold, as far as it knows, and no message was missed since. */
  boolean alone;

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

  /** Its process has the lock, whether or not a thread is inside. */
  boolean has() {
    return holds() || phase == Phase.RETAINING;
  }

  /** It wants nothing any more. */
  void rest() {
    set(new Waiter());
  }

  void tick(int longest) {
    timer = Math.max(0, timer - 1);
    since = since == NONE ? NONE : Math.min(longest, since + 1);
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
    early = from.early;
    starving = from.starving;
  }

  void code(Coder c) {
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
    }
  }
}
