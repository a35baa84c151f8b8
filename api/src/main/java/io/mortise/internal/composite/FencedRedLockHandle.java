package io.mortise.internal.composite;

import io.mortise.FencedRedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.internal.engine.LeaseOutcome;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A Redlock whose holds have fencing tokens. Thread-safe. */
public final class FencedRedLockHandle extends RedLockHandle implements FencedRedLock {
  FencedRedLockHandle(RedLockHandle plain, QuorumMembers members) {
    super(plain, members);
  }

  @Override
  FencedRedLockHandle with(QuorumMembers other) {
    return new FencedRedLockHandle(this, other);
  }

  @Override
  public FencedRedLockHandle withLease(Duration lease) {
    return with(leasing(each -> each.withLease(lease)));
  }

  @Override
  public FencedRedLockHandle withMemberTimeout(Duration timeout) {
    return with(answeringWithin(timeout));
  }

  @Override
  public FencedRedLockHandle withQuarantine(Duration longestLease) {
    return with(inQuarantine(longestLease));
  }

  @Override
  public long fencingToken() {
    return requireLease()
        .fencingToken()
        .orElseThrow(() ->
            new IllegalStateException(
                "Redlock '%s' was not taken by a fenced handle, so this hold has no token; take it by fenced() first"
                    .formatted(name())));
  }

  @Override
  public long lockAndGetToken() {
    lock();
    return tokenOrUnlock();
  }

  @Override
  public OptionalLong tryLockAndGetToken() {
    return tryLock() ? OptionalLong.of(tokenOrUnlock()) : OptionalLong.empty();
  }

  @Override
  public OptionalLong tryLockAndGetToken(Duration wait) throws InterruptedException {
    return tryLock(wait) ? OptionalLong.of(tokenOrUnlock()) : OptionalLong.empty();
  }

  /** The token of the hold that was just acquired. Without one, the hold ends. */
  private long tokenOrUnlock() {
    try {
      return fencingToken();
    } catch (IllegalMonitorStateException | IllegalStateException e) {
      try {
        unlock();
      } catch (RuntimeException failed) {
        e.addSuppressed(failed);
      }
      throw e;
    }
  }

  /** Takes the token of a hold before anybody knows the hold. */
  @Override
  void start(QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> result) {
    CompletableFuture<LeaseOutcome> inner = new CompletableFuture<>();
    CompletableFuture<LeaseOutcome> unused =
        result.whenComplete((value, failed) -> inner.cancel(false)); // withdrawn
    unused = inner.whenComplete((outcome, failed) -> acquired(outcome, failed, result));
    super.start(owner, wait, inner);
  }

  private void acquired(
      @Nullable LeaseOutcome outcome,
      @Nullable Throwable failed,
      CompletableFuture<LeaseOutcome> result) {
    if (outcome == null) {
      result.completeExceptionally(failed);
    } else if (outcome.lease() instanceof QuorumLease lease) {
      CompletableFuture<Long> unused =
          TokenRequest.start(members(), lease::isValid)
              .whenComplete((token, why) -> fenced(lease, token, why, result));
    } else {
      result.complete(outcome);
    }
  }

  private void fenced(
      QuorumLease lease,
      @Nullable Long token,
      @Nullable Throwable why,
      CompletableFuture<LeaseOutcome> result) {
    boolean counts = token != null && lease.fence(token);
    if (!counts || !result.complete(new LeaseOutcome(lease, null))) {
      MergedLease.giveBack(lease);
    }
    if (!counts) {
      result.completeExceptionally(why == null ? tooLate(lease) : cause(why));
    }
  }

  private static Throwable cause(Throwable why) {
    Throwable cause = why.getCause();
    return why instanceof CompletionException && cause != null ? cause : why;
  }

  private LeaseLostException tooLate(Lease lease) {
    return new LeaseLostException(
        "Redlock '%s' was lost before it had its fencing token: %s; ask for a longer lease (docs/troubleshooting.md#lease-lost)"
            .formatted(name(), lease));
  }
}
