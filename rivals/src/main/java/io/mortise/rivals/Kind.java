package io.mortise.rivals;

/** The kinds of lock that both libraries have. */
enum Kind {
  /** Reentrant, exclusive, unfair. */
  PLAIN("plain"),
  /** First come, first served. */
  FAIR("fair"),
  /** Its holds have tokens. */
  FENCED("fenced"),
  /** Three plain locks as one. */
  MULTI("multi of 3");

  private final String title;

  Kind(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
