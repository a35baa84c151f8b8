package io.mortise.internal.engine;

/** The protected resource, as a count of its users. One thread runs at a time. */
final class ExploredRoom {
  private final int places;
  private int taken;
  private boolean forced;

  /** A number of places. A shared holder takes one of them, an exclusive holder takes all. */
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

  /** From now on some holders may not know yet that they were revoked. */
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
