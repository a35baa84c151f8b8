package io.mortise.model;

/** What holders may do beside holding and unlocking. A setup says which of it happens. */
enum Choice {
  /** They ask for a longer lease. */
  EXTEND,
  /** They leave, and keep the lock for a rest of time. */
  REST,
  /**
   * They are the threads of a process at its gate, as many as one likes. Each stays for no longer
   * than a section, and then hands the hold off or unlocks.
   */
  HAND_OFF,
  /**
   * Their process may keep a hold that no thread uses, until its time is over, and a thread may
   * take it again. Goes with {@link #HAND_OFF}.
   */
  RETAIN,
  /**
   * Waiters ask for an <em>alone</em> hold, one that nobody held or waited for when it began. Its
   * process hands it off until it is asked, and may keep it for longer. Goes with {@link
   * #HAND_OFF}, with or without {@link #RETAIN}.
   */
  ASK,
  /** They try to lock, and do not wait for a thread that has the lock. Goes with {@link #ASK}. */
  TRY,
  /**
   * Threads with another lease come to the gate. They cannot take the hold over, and wait there for
   * its end. Goes with {@link #ASK}.
   */
  OTHER_LEASES,
  /** The last process has an older version, which never asks and is never alone. */
  OLDER_VERSION
}
