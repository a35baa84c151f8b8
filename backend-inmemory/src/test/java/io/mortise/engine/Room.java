package io.mortise.engine;

/** What a lock protects, as a count of those inside. One thread runs at a time. */
final class Room {
  private final int places;
  private int taken;

  /** So many may be inside who share it; one alone takes all places. */
  Room(int places) {
    this.places = places;
  }

  int places() {
    return places;
  }

  void enter(int wanted) {
    taken += wanted;
    if (taken > places) {
      throw new AssertionError(taken + " of " + places + " places are taken");
    }
  }

  void leave(int wanted) {
    taken -= wanted;
  }
}
