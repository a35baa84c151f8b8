package io.mortise;

import java.util.List;

/**
 * Too few members of a {@link RedLock} could be asked, so whether it is free is not known. Nothing
 * is held; what may have been acquired is being withdrawn.
 */
public final class QuorumException extends LockException {
  private static final long serialVersionUID = 1L;

  /** What one member answered in the last round. */
  public enum Answer {
    /** It was acquired, and given back since there were too few. */
    ACQUIRED,
    /** Somebody else holds it. */
    HELD,
    /** Its server could not be reached, or refused. */
    UNREACHABLE,
    /** There was no answer within the timeout of a member. */
    TOO_SLOW
  }

  /**
   * The answer of one member.
   *
   * @param member endpoint and key of the member
   * @param answer what it answered
   * @param detail who holds it, or what failed; for people
   */
  public record Verdict(String member, Answer answer, String detail) {
    @Override
    public String toString() {
      return member + ": " + (detail.isEmpty() ? answer.toString() : detail);
    }
  }

  private final transient List<Verdict> verdicts;

  public QuorumException(String message, List<Verdict> verdicts) {
    super(message, null);
    this.verdicts = List.copyOf(verdicts);
  }

  /**
   * What the members answered.
   *
   * @return one verdict for each member that had answered, or was too slow, when it was decided
   */
  public List<Verdict> verdicts() {
    return verdicts;
  }
}
