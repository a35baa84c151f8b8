package io.mortise.internal.engine;

/** What a lock protects, as a count of those inside. One thread runs at a time. */
final class ExploredRoom {
  private final int places;
  private int taken;
  private boolean forced;

  /** So many may be inside who share it; one alone takes all places. */
  ExploredRoom(int places) {
    this.places = places;
  }

  int places() {
    return places;
  }

  void enter(int wanted) {
    taken += wanted;
    if (taken > places && !forced) {
      throw new AssertionError(taken + " of " + places + " places are taken");
    }
  }

  /** From now on some may be inside who do not know yet that they are out. */
  void force() {
    forced = true;
  }

  boolean isForced() {
    return forced;
  }

  void leave(int wanted) {
    taken -= wanted;
  }
}
