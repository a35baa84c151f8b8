package io.mortise.jmh.contestant;

/** The kinds of lock that both libraries have. */
public enum ComparedLock {
  /** Reentrant, exclusive, unfair. */
  PLAIN("plain"),
  /** First come, first served. */
  FAIR("fair"),
  /** With fencing tokens. */
  FENCED("fenced"),
  /** The read lock of a read/write lock. */
  READ("read"),
  /** The write lock of a read/write lock. */
  WRITE("write"),
  /** Three plain locks as one. */
  MULTI("multi-lock of 3"),
  /** A majority of three plain locks. Here they share a server, which costs the same. */
  RED("Redlock of 3");

  private final String title;

  ComparedLock(String title) {
    this.title = title;
  }

  /**
   * What readers know it by.
   *
   * @return a few words
   */
  public String title() {
    return title;
  }
}
