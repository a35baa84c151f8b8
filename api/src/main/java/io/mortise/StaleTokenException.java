package io.mortise;

/**
 * A guard refused a write, because a holder with a larger fencing token has already written. So the
 * hold of this token is over. Nothing was written. The next step is to lock again, and to read
 * again the data that the write was based on.
 */
public final class StaleTokenException extends LockException {
  private static final long serialVersionUID = 1L;

  /** The token that came with the write. */
  private final long token;

  /** The largest token that the resource had seen. */
  private final long seen;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   * @param token the token that came with the write
   * @param seen the largest token that the resource had seen
   */
  public StaleTokenException(String message, long token, long seen) {
    super(message, null);
    this.token = token;
    this.seen = seen;
  }

  /**
   * The token that came with the write.
   *
   * @return a positive number
   */
  public long token() {
    return token;
  }

  /**
   * The largest token the resource had seen when it was asked after the refusal.
   *
   * @return a positive number
   */
  public long seen() {
    return seen;
  }
}
