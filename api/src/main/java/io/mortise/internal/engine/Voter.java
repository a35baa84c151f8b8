package io.mortise.internal.engine;

import io.mortise.QuorumException.Answer;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The server of a service as a voter for Redlocks in quarantine: which process it is, and since
 * when its votes count. Thread-safe.
 *
 * <p>The server's own quarantine ends by its clock, which may step forward. So this process counts
 * too, by its own clock, from when it first saw the server's process, and the later end counts. It
 * cannot know how long a process that it meets first has run, so there the server's word counts
 * alone.
 */
public final class Voter {
  /** A server gave a Redlock no vote. A Redlock makes a verdict of it. */
  public static final class NoVoteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Answer answer;

    private NoVoteException(Answer answer, String message) {
      super(message);
      this.answer = answer;
    }

    public Answer answer() {
      return answer;
    }
  }

  private static final String KEEPS_ALL = "noeviction";

  private final Store store;
  private @Nullable String process;
  private long countsFrom;

  Voter(Store store) {
    this.store = store;
  }

  /** The server process that may vote; empty if none may yet. */
  synchronized String expected() {
    return process == null || store.now() - countsFrom < 0 ? "" : process;
  }

  /** Why the server gives no vote; null if it does when it is asked again. */
  @Nullable NoVoteException refusal(AcquireReply.Refused refused, VotingSet set) {
    if (refused instanceof AcquireReply.OtherSet other) {
      return otherSet(other.set());
    }
    return refused instanceof AcquireReply.NoVote reply ? refusal(reply, set) : unnamed();
  }

  private @Nullable NoVoteException refusal(AcquireReply.NoVote reply, VotingSet set) {
    String policy = reply.policy();
    if (policy != null && !policy.equals(KEEPS_ALL)) {
      return new NoVoteException(
          Answer.REFUSED,
          "it may evict locks: its maxmemory-policy is %s; set %s (docs/troubleshooting.md#no-vote)"
              .formatted(policy, KEEPS_ALL));
    }
    Duration rest = rest(reply, set.quarantine(store.options().commandTimeout()));
    return rest.isZero()
        ? null
        : new NoVoteException(
            Answer.QUARANTINED,
            "in quarantine for %d ms more: it has started, or has lost data; wait, or see docs/troubleshooting.md#quarantine"
                .formatted(rest.toMillis()));
  }

  private synchronized Duration rest(AcquireReply.NoVote reply, Duration quarantine) {
    long now = store.now();
    boolean replaced = process != null && !process.equals(reply.process());
    Duration whole = replaced ? quarantine : Duration.ofMillis(reply.rest());
    long from = now + whole.toNanos();
    countsFrom = process == null || from - countsFrom > 0 ? from : countsFrom;
    process = reply.process();
    return Duration.ofNanos(Math.max(0, countsFrom - now));
  }

  // Fencing tokens

  /**
   * Asks the server to accept a fencing token of a Redlock.
   *
   * @param token 0 to accept none
   * @return 0 if the server has accepted it; otherwise a number that a new token must exceed. It
   *     fails with {@link NoVoteException} where the server gives no vote
   */
  public CompletableFuture<Long> accept(LockKeys keys, long token, VotingSet set) {
    ScriptCall call = store.scripts().redFence(keys, token, set, expected());
    return store
        .executeAsync(keys, call, "the token of a Redlock was accepted")
        .thenCompose(reply -> accepted(reply, keys, token, set));
  }

  private CompletableFuture<Long> accepted(
      List<Object> reply, LockKeys keys, long token, VotingSet set) {
    if (reply.get(0).equals("ACCEPTED")) {
      return CompletableFuture.completedFuture(0L);
    }
    if (reply.get(0).equals("LAST")) {
      return CompletableFuture.completedFuture((Long) reply.get(1));
    }
    AcquireReply.Refused refused = (AcquireReply.Refused) AcquireReply.ofAcquire(reply, null);
    NoVoteException why = refusal(refused, set);
    return why == null ? accept(keys, token, set) : CompletableFuture.failedFuture(why);
  }

  // The first start

  /**
   * Checks that the server was never used: it has no key with the prefix of this service.
   *
   * @param keys a lock of this service, for messages
   */
  public void checkUnused(LockKeys keys) {
    String cursor = "0";
    while (true) {
      List<Object> reply = firstStart(keys, store.scripts().lookUnused(cursor));
      if (reply.get(0).equals("FREE")) {
        return;
      }
      cursor = (String) reply.get(1);
    }
  }

  /** Lets the server vote for a set at once, if it has never voted. */
  public void startVoting(LockKeys keys, VotingSet set) {
    List<Object> unused = firstStart(keys, store.scripts().voteFromNowOn(set));
  }

  private List<Object> firstStart(LockKeys keys, ScriptCall step) {
    List<Object> reply = store.execute(keys, step, "the first start of a Redlock's server");
    if (reply.get(0).equals("USED")) {
      throw new IllegalStateException(
          "%s has the key %s, so it may have given votes before; let it wait out its quarantine, which the first attempt to lock begins (docs/troubleshooting.md#quarantine)"
              .formatted(store.endpoint(), reply.get(1)));
    }
    if (reply.get(0).equals("UNNAMED")) {
      throw new IllegalStateException(store.endpoint() + ": " + unnamed().getMessage());
    }
    return reply;
  }

  private static NoVoteException otherSet(String other) {
    return new NoVoteException(
        Answer.REFUSED,
        "it votes for another set, [%s]; give all processes the same members and longest lease (docs/troubleshooting.md#no-vote)"
            .formatted(other));
  }

  private static NoVoteException unnamed() {
    return new NoVoteException(
        Answer.REFUSED,
        "it does not give its run id, so a restart could not be noticed; allow INFO (docs/troubleshooting.md#no-vote)");
  }
}
