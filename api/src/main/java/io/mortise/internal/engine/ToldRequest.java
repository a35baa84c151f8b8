package io.mortise.internal.engine;

/** A lease request, as listeners are told of it: its attempt, and its events in their order. */
final class ToldRequest {
  private final ToldAttempt attempt;
  private final HoldEvents events;
  private boolean waits;

  ToldRequest(ToldAttempt attempt, HoldEvents events) {
    this.attempt = attempt;
    this.events = events;
  }

  ToldAttempt attempt() {
    return attempt;
  }

  HoldEvents events() {
    return events;
  }

  /**
   * Notes that it waits. Called under the monitor of its request.
   *
   * @return false if it was noted before
   */
  boolean waits() {
    boolean news = !waits;
    waits = true;
    return news;
  }
}
