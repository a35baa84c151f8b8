package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.Voter.NoVoteException;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a {@link QuorumRequest} knows of one member. Only the tasks of that request use it. */
final class Ballot {
  /** The kinds of question that may be out. */
  enum Question {
    NONE,
    /** The member answers at once. */
    TRY,
    /** The request is in the member's queue. */
    WAIT
  }

  final Member member;
  private Question out = Question.NONE;

  /** The answer to the last question, or to the release that came after it. */
  private CompletableFuture<LeaseOutcome> answer =
      CompletableFuture.completedFuture(new LeaseOutcome(null, "nobody"));

  private @Nullable Lease lease;

  /** What the member said last, but for a wait in vain; null if nothing yet. */
  private @Nullable Verdict verdict;

  Ballot(Member member) {
    this.member = member;
  }

  // Asking

  /**
   * A question is sent. A lease that is in doubt goes back before, or nobody would ever release it.
   * Returns the future of the answer.
   */
  CompletableFuture<LeaseOutcome> ask(Question question) {
    giveBack();
    out = question;
    answer = new CompletableFuture<>();
    return answer;
  }

  boolean isOut(Question question) {
    return out == question;
  }

  /** Whether it may be asked: it is not held, and no question is out. */
  boolean isIdle() {
    return !isHeld() && out == Question.NONE;
  }

  @SuppressWarnings("ReferenceEquality") // compares identity
  boolean isLast(CompletableFuture<LeaseOutcome> one) {
    return answer == one;
  }

  CompletableFuture<LeaseOutcome> answer() {
    return answer;
  }

  /** The question that is out has its answer. */
  void answered(@Nullable LeaseOutcome value, @Nullable Throwable failure) {
    boolean waited = out == Question.WAIT;
    out = Question.NONE;
    lease = value == null ? null : value.lease();
    if (lease != null || failure != null || !waited) {
      verdict = verdict(value, failure);
    }
  }

  private Verdict verdict(@Nullable LeaseOutcome value, @Nullable Throwable failure) {
    if (value == null) {
      return failed(member, failure);
    }
    return value.lease() != null
        ? new Verdict(member.place(), Answer.ACQUIRED, "")
        : new Verdict(member.place(), Answer.HELD, Names.shown("held by " + value.heldBy()));
  }

  /** The verdict of a member that gave no answer, or no vote. */
  static Verdict failed(Member member, @Nullable Throwable failure) {
    Answer why = failure instanceof TimeoutException ? Answer.TOO_SLOW : Answer.UNREACHABLE;
    Answer answer = failure instanceof NoVoteException no ? no.answer() : why;
    String text = String.valueOf(failure == null ? why : failure.getMessage());
    return new Verdict(member.place(), answer, text);
  }

  /**
   * The question that is out is not waited for any more. Returns its future, which tells what
   * became of the member.
   */
  CompletableFuture<LeaseOutcome> leave() {
    boolean left = out == Question.WAIT && answer.cancel(false);
    out = Question.NONE;
    if (left) { // a member that it waits for has another holder
      answer = CompletableFuture.completedFuture(new LeaseOutcome(null, "another"));
    }
    return answer;
  }

  /** Withdraws the question that is out, if any. */
  void giveUp() {
    if (out != Question.NONE) {
      answer.cancel(false);
      out = Question.NONE;
    }
  }

  // What is known

  @Nullable Verdict verdict() {
    return verdict;
  }

  /** Whether it has answered, when it was asked last. */
  boolean hasAnswered() {
    return isBusy() || is(Answer.ACQUIRED);
  }

  /** Whether it has given no answer or no vote, and no question is out. */
  boolean isQuiet() {
    return out == Question.NONE && !hasAnswered();
  }

  /** Whether it had another holder. */
  boolean isBusy() {
    return is(Answer.HELD);
  }

  private boolean is(Answer expected) {
    return verdict != null && verdict.answer() == expected;
  }

  boolean isHeld() {
    return lease != null && lease.isValid();
  }

  @Nullable Lease lease() {
    return lease;
  }

  /** Releases what it has of the member. From now on its answer is that of the release. */
  void giveBack() {
    if (lease != null) {
      CompletableFuture<Void> released = MergedLease.memberLease(lease).releasing(0);
      answer = released.handle((done, lost) -> new LeaseOutcome(null, "nobody"));
      lease = null;
    }
  }
}
