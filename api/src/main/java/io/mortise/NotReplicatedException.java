package io.mortise;

/**
 * A lock was acquired, or its lease was made longer, but fewer replicas confirmed that than {@link
 * LockService.Builder#replicaAcks replicaAcks} asks for. An acquisition does not count: it is being
 * given back. A lease ends when it would have ended without the attempt.
 */
public final class NotReplicatedException extends LockException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the lock, the numbers of replicas and the next step
   */
  public NotReplicatedException(String message) {
    super(message, null);
  }
}
