package io.mortise.internal.engine;

import io.mortise.QuorumException.Answer;

/** A server gave a Redlock no vote. A Redlock makes a verdict of it. */
public final class NoVoteException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Answer answer;

  NoVoteException(Answer answer, String message) {
    super(message);
    this.answer = answer;
  }

  public Answer answer() {
    return answer;
  }
}
