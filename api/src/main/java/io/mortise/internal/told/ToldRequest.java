package io.mortise.internal.told;

/** A lease request, as listeners are told of it: its attempt, and its events in their order. */
public final class ToldRequest {
  private final ToldAttempt attempt;
  private final HoldEvents events;
  private boolean waits;

  public ToldRequest(ToldAttempt attempt, HoldEvents events) {
    this.attempt = attempt;
    this.events = events;
  }

  public ToldAttempt attempt() {
    return attempt;
  }

  public HoldEvents events() {
    return events;
  }

  /**
   * Notes that it waits. Called under the monitor of its request.
   *
   * @return false if it was noted before
   */
  public boolean waits() {
    boolean news = !waits;
    waits = true;
    return news;
  }
}
