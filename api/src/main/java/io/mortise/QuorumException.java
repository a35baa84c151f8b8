package io.mortise;

import java.util.List;

/**
 * Too few members of a {@link RedLock} answered, so whether it is free is not known. Nothing is
 * held. Members that may have been acquired are withdrawn in the background.
 */
public final class QuorumException extends LockException {
  private static final long serialVersionUID = 1L;

  /** The answer of one member in the last round. */
  public enum Answer {
    /** The member was acquired, and given back because too few were. */
    ACQUIRED,
    /** Another holder has the member. */
    HELD,
    /** The member's server could not be reached, or refused. */
    UNREACHABLE,
    /** No answer came within the timeout of a member. */
    TOO_SLOW,
    /**
     * The member's server has started, or may have lost data. It gives no vote before the longest
     * lease is over.
     */
    QUARANTINED,
    /** The member's server gives this Redlock no vote: the detail says why. */
    REFUSED
  }

  /**
   * The answer of one member.
   *
   * @param member the endpoint and key of the member
   * @param answer the kind of answer
   * @param detail the holder, or the failure, for people
   */
  public record Verdict(String member, Answer answer, String detail) {
    @Override
    public String toString() {
      return member + ": " + (detail.isEmpty() ? answer.toString() : detail);
    }
  }

  private final transient List<Verdict> verdicts;

  /**
   * For Mortise itself.
   *
   * @param message names the lock, the answers and the next step
   * @param verdicts the answers of the members
   */
  public QuorumException(String message, List<Verdict> verdicts) {
    super(message, null);
    this.verdicts = List.copyOf(verdicts);
  }

  /**
   * The answers of the members.
   *
   * @return one verdict for each member that had answered or was too slow when the attempt was
   *     decided
   */
  public List<Verdict> verdicts() {
    return verdicts;
  }
}
