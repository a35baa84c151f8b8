package io.mortise.internal.composite;

import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.QuorumException.Verdict;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.SerialExecutor;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.TimeSource.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Takes the fencing token of a Redlock that was just acquired. */
final class TokenRequest {
  /* Overview
   *
   *   1. Reads the last token of a majority of the servers. The new one is larger than all of them.
   *   2. Writes it to a majority. A server accepts only a token that is larger than its last.
   *
   * If too few accept, another holder came between, which means that this one is lost. It tries a
   * larger token only while its lease is valid. The token counts only if the lease is valid after
   * the second round. So it was on a majority before the next holder read its own majority. The two
   * share a server. Decision 57 (docs/decisions/0055-redlock-servers-without-their-data.md#d57) has
   * the argument for servers that lose their data.
   */
  private final QuorumMembers of;
  private final VotingSet set;
  private final BooleanSupplier valid;
  private final SerialExecutor tasks = new SerialExecutor();
  private final CompletableFuture<Long> token = new CompletableFuture<>();

  private TokenRequest(QuorumMembers of, VotingSet set, BooleanSupplier valid) {
    this.of = of;
    this.set = set;
    this.valid = valid;
  }

  /**
   * Starts a request.
   *
   * @param of members with a quarantine
   * @param valid whether the lease that the token is for is still valid
   * @return completed on the thread that delivers the last reply; it fails with {@link
   *     QuorumException} if too few servers answer
   */
  static CompletableFuture<Long> start(QuorumMembers of, BooleanSupplier valid) {
    TokenRequest request = new TokenRequest(of, Objects.requireNonNull(of.voters()), valid);
    request.tasks.run(() -> request.new Round(0, 0).begin());
    return request.token;
  }

  /** One question to all members. Its methods run one after the other. */
  private final class Round {
    private final long wanted;
    private final List<Verdict> verdicts = new ArrayList<>();
    private long largest;
    private int answered;
    private int accepted;
    private boolean over;

    Round(long wanted, long largest) {
      this.wanted = wanted;
      this.largest = largest;
    }

    void begin() {
      List<CompletableFuture<Long>> all = of.all().stream().map(this::ask).toList();
      Timer timer =
          of.time()
              .schedule(
                  () -> all.forEach(each -> each.completeExceptionally(of.tooSlow())),
                  of.nodeTimeout());
      CompletableFuture<Void> unused = Futures.settled(all).thenRun(timer::close);
    }

    private CompletableFuture<Long> ask(Member member) {
      CompletableFuture<Long> answer = member.accept(wanted, set).copy();
      CompletableFuture<Long> unused =
          answer.whenComplete((last, failed) -> tasks.run(() -> heard(member, answer)));
      return answer;
    }

    private void heard(Member member, CompletableFuture<Long> answer) {
      Throwable failure = Futures.failure(answer);
      if (failure == null) {
        long last = answer.join();
        answered++;
        accepted += wanted > 0 && last == 0 ? 1 : 0;
        largest = Math.max(largest, last);
      }
      verdicts.add(
          failure == null
              ? new Verdict(member.place(), Answer.ACQUIRED, "answered")
              : Ballot.failed(member, failure));
      if (!over) {
        decide();
      }
    }

    private void decide() {
      int missing = of.all().size() - verdicts.size();
      if (accepted >= of.quorum()) {
        over = true;
        token.complete(wanted);
      } else if (wanted == 0 && answered >= of.quorum()) {
        next();
      } else if ((wanted == 0 ? answered : accepted) + missing < of.quorum()) {
        if (answered >= of.quorum() && valid.getAsBoolean()) {
          next();
        } else if (answered + missing < of.quorum() || !valid.getAsBoolean()) {
          fail();
        }
      }
    }

    private void next() {
      over = true;
      new Round(largest + 1, largest).begin();
    }

    private void fail() {
      over = true;
      token.completeExceptionally(
          new QuorumException(
              "Redlock %s: its fencing token was not accepted by enough servers: too few of %d members answered, %d are needed (%s); it is given back, check their servers (docs/troubleshooting.md#quorum)"
                  .formatted(Names.shown(of.name()), of.all().size(), of.quorum(), verdicts),
              verdicts));
    }
  }
}
