package io.mortise.internal.engine;

/** What a thread at a gate does next. */
enum Step {
  /** It has the lock. */
  ACQUIRED,
  /** It does not get the lock. */
  REFUSED,
  /** It asks the store: it is the agent of its gate. */
  AGENT,
  /** It waits for other threads of this service. */
  WAIT,
  /** This gate is gone, or what it gave is; the thread asks {@link Gates} for another. */
  RETIRED
}
