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
  RETAIN
}
