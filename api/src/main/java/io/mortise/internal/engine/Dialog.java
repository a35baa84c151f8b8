package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.internal.concurrent.Backoff;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request's talk with the store: what an answer means, and whether the request asks again
 * without one. It notes what it hears in the acquisition's {@link QueuePlace}. It sends nothing and
 * does not block. Used by the gate's agent alone, or under the monitor of a lease request.
 */
final class Dialog {
  /** How long a request for a lock or lease waits. */
  enum Patience {
    /** It does not wait. */
    NONE,
    /** It does not wait, and one command asks for other locks too (see {@link Batch}). */
    TOGETHER,
    /** It waits for a limited time. */
    LIMITED,
    /** It waits without end. */
    UNLIMITED;

    /**
     * Whether the request asks again after a command that failed, or whose answer came too late.
     *
     * <ul>
     *   <li>An attempt that does not wait fails at once.
     *   <li>A wait with a time limit goes on until its end.
     *   <li>A wait without a limit fails at once if the store certainly does not know its id. Else
     *       the id may be in the queue, and the wait goes on for one lease time.
     * </ul>
     *
     * @param mayBeKnown whether the store may know its id
     * @param failingFor for how long commands have failed (ns)
     * @param lease the lease time of the service (ns)
     */
    boolean asksAgain(boolean mayBeKnown, long failingFor, long lease) {
      return this == LIMITED || (this == UNLIMITED && mayBeKnown && failingFor < lease);
    }
  }

  /** What the request does next. */
  enum Next {
    /** The store says that it holds the lock. It takes it, unless that is too late. */
    TAKE,
    /** It is in the store's queue. */
    QUEUED,
    /** It has no answer, and asks again after a pause. */
    PAUSE,
    /** It is refused, perhaps by what its own service gives back. It asks again after that. */
    AWAIT_OWN,
    /** It asks again at once. */
    ASK_AGAIN,
    /** It goes on with a new id: the store does not grant this one the lock any more. */
    REPLACE,
    /** Another holds the lock. */
    REFUSED,
    /** Another holds the lock, and was just asked for it, as nobody may be inside. */
    RECALLED,
    /** The latch is open. */
    OPEN,
    /** It fails, by {@link #failure}. */
    FAILED
  }

  private static final String SOMEBODY = "somebody";

  private final Parts parts;
  private final Store store;
  private final LockKeys keys;
  private final LeaseTerms terms;
  private @Nullable RuntimeException failure;
  private @Nullable Backoff pause;

  /** Since when no answer came in time for a lease; null if the last one did. */
  private @Nullable Long failingSince;

  /** Whether the last command got no answer. */
  private boolean unanswered;

  private String holder = SOMEBODY;
  private @Nullable CompletableFuture<Void> leaving;
  private boolean alone;

  /**
   * @param failingSince since when commands of the same place have failed; null if they do not
   */
  Dialog(Parts parts, LockKeys keys, LeaseTerms terms, @Nullable Long failingSince) {
    this.parts = parts;
    this.keys = keys;
    this.terms = terms;
    this.failingSince = failingSince;
    store = parts.store();
  }

  /** The lease that is asked for. */
  LeaseTerms terms() {
    return terms;
  }

  /** A command is about to be sent. */
  void asks(Acquisition asking, Patience patience, long now) {
    if (patience == Patience.NONE) {
      asking.place().asksWhile(store.departures().of(keys));
    }
    asking.place().sending(now);
  }

  // Answers

  /**
   * The store has answered.
   *
   * @param voters the Redlock in quarantine whose vote was asked for; null if none was
   */
  Next hears(
      Acquisition asked, List<Object> answer, Patience patience, @Nullable VotingSet voters) {
    AcquireReply reply = AcquireReply.ofAcquire(answer, store.replicaAcks());
    if (reply instanceof AcquireReply.NotReplicated few) {
      return failed(
          asked,
          Outcome.UNKNOWN,
          of -> Failures.notReplicated(few, of, store.endpoint()),
          patience);
    }
    answered(asked);
    if (reply instanceof AcquireReply.Held held) {
      return holds(asked, held);
    }
    if (store.lasts(terms, asked.place().askedAt())) {
      failingSince = null;
      pause = null;
    }
    if (reply instanceof AcquireReply.Waiting waiting) {
      return queued(asked, waiting);
    }
    if (reply instanceof AcquireReply.Busy busy) {
      return busy(asked, busy);
    }
    if (reply instanceof AcquireReply.Open) {
      return Next.OPEN;
    }
    if (voters != null && reply instanceof AcquireReply.Refused refused) {
      return noVote(asked, refused, voters);
    }
    failure = Failures.of(reply, keys);
    return failure == null ? Next.REPLACE : Next.FAILED;
  }

  private void answered(Acquisition asked) {
    asked.place().answered();
    unanswered = false;
    failure = null;
  }

  /** The reply to another command granted it the lock. */
  void grantedByReply(Acquisition granted) {
    answered(granted);
    failingSince = null;
    pause = null;
  }

  private Next holds(Acquisition asked, AcquireReply.Held held) {
    alone = held.alone();
    asked.lease().setToken(held.token());
    store.complainOfEpoch(held.complaint());
    return Next.TAKE;
  }

  private Next queued(Acquisition asked, AcquireReply.Waiting waiting) {
    store.complainOfMail(waiting.complaint());
    if (asked.ticket().isEmpty()) {
      LockLog.queued(asked, waiting.left());
    }
    asked.place().queued(waiting, store.now(), store.recheck());
    return Next.QUEUED;
  }

  /** An attempt is not refused by what its own service gives back. */
  private Next busy(Acquisition asked, AcquireReply.Busy busy) {
    leaving = asked.place().refused(store.now() + store.options().commandTimeout().toNanos());
    if (leaving != null) {
      return Next.AWAIT_OWN;
    }
    holder = Objects.requireNonNullElse(busy.holder(), SOMEBODY);
    return busy.recalled() ? Next.RECALLED : Next.REFUSED;
  }

  /** Nothing was done. A server that is met for the first time is asked again at once. */
  private Next noVote(Acquisition asked, AcquireReply.Refused reply, VotingSet voters) {
    asked.place().failed(Outcome.NOT_EXECUTED, store.now());
    failure = parts.voter().refusal(reply, voters);
    return failure == null ? Next.ASK_AGAIN : Next.FAILED;
  }

  // No answer

  /** The store has not answered, or with an error. */
  Next failed(Acquisition asked, BackendException e, Patience patience) {
    return failed(asked, e.outcome(), of -> Failures.of(e, of, store.endpoint()), patience);
  }

  private Next failed(
      Acquisition asked,
      Outcome outcome,
      Function<Acquisition, LockException> why,
      Patience patience) {
    long now = store.now();
    asked.place().failed(outcome, now + pause());
    failure = why.apply(asked);
    unanswered = true;
    return asksAgain(patience, asked.place().mayBeKnown(), now);
  }

  /**
   * The store granted it the lock, but the lease had ended when the answer came.
   *
   * @param told runs if it asks again, and this is the first trouble; it may log
   */
  Next heldTooLate(Patience patience, Consumer<LockException> told) {
    LockException why = Failures.tooSlow(keys, terms, store.endpoint());
    failure = why;
    boolean first = failingSince == null;
    Next next = asksAgain(patience, true, store.now());
    if (first && next == Next.PAUSE) {
      told.accept(why);
    }
    return next;
  }

  private Next asksAgain(Patience patience, boolean mayBeKnown, long now) {
    long since = failingSince == null ? now : failingSince;
    failingSince = since;
    long longest = store.options().leaseTime().toNanos();
    return patience.asksAgain(mayBeKnown, now - since, longest) ? Next.PAUSE : Next.FAILED;
  }

  /** How long to wait now before it asks again (ns). The next time it is longer. */
  long pause() {
    Backoff known = pause == null ? store.backoff() : pause;
    pause = known;
    return known.next();
  }

  // What was heard

  /** Why it failed last; null if the store has answered since. */
  @Nullable RuntimeException failure() {
    return failure;
  }

  /**
   * Since when there is trouble, if the last command got no answer; null if it got one. An answer
   * that came too late counts as trouble too.
   */
  @Nullable Long unansweredSince() {
    return unanswered ? failingSince : null;
  }

  /** What its own service gives back, after {@link Next#AWAIT_OWN}. */
  CompletableFuture<Void> leaving() {
    return Objects.requireNonNull(leaving, "leaving");
  }

  /** The id that holds the lock, or "somebody"; after {@link Next#REFUSED} or RECALLED. */
  String holder() {
    return holder;
  }

  /** After {@link Next#TAKE}: whether nobody held the lock, waited for it or was remembered. */
  boolean isAlone() {
    return alone;
  }
}
