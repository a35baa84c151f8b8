package io.mortise.internal.composite;

import io.mortise.FencedRedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A Redlock whose holds have fencing tokens. Thread-safe. */
final class FencedRedLockHandle extends QuorumLock<FencedRedLockHandle> implements FencedRedLock {
  private FencedRedLockHandle(QuorumLock<?> other, QuorumMembers members) {
    super(other, members);
  }

  static FencedRedLockHandle of(QuorumLock<?> plain) {
    if (plain.members().voters() == null) {
      throw new IllegalStateException(
          "Redlock '%s' has no quarantine, so a server without its data could give a token twice; call withQuarantine first"
              .formatted(Names.shown(plain.name())));
    }
    return new FencedRedLockHandle(plain, plain.members());
  }

  @Override
  FencedRedLockHandle with(QuorumMembers other) {
    return new FencedRedLockHandle(this, other);
  }

  @Override
  public FencedRedLock fenced() {
    return this;
  }

  @Override
  public long fencingToken() {
    return requireLease()
        .fencingToken()
        .orElseThrow(() ->
            new IllegalStateException(
                "Redlock '%s' was not taken by a fenced handle, so this hold has no token; take it by fenced() first"
                    .formatted(Names.shown(name()))));
  }

  @Override
  public long lockAndGetToken() {
    lock();
    return tokenOrUnlock(this::fencingToken);
  }

  @Override
  public OptionalLong tryLockAndGetToken() {
    return tokenOrUnlock(tryLock(), this::fencingToken);
  }

  @Override
  public OptionalLong tryLockAndGetToken(Duration wait) throws InterruptedException {
    return tokenOrUnlock(tryLock(wait), this::fencingToken);
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
      result.completeExceptionally(why == null ? tooLate(lease) : why);
    }
  }

  private LeaseLostException tooLate(Lease lease) {
    return new LeaseLostException(
        "Redlock '%s' was lost before it had its fencing token: %s; ask for a longer lease (docs/troubleshooting.md#lease-lost)"
            .formatted(Names.shown(name()), lease));
  }
}
