package io.mortise.internal.lock;

import io.mortise.FencedLock;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

/** A handle of the exclusive lock whose holds have fencing tokens. */
final class FencedLockHandle extends LockHandle implements FencedLock {
  FencedLockHandle(Engine engine, LockKeys keys, LeaseTerms lease) {
    super(engine, keys, lease);
  }

  @Override
  public FencedLockHandle withLease(Duration fixed) {
    return with(LeaseTerms.fixed(Objects.requireNonNull(fixed, "lease")));
  }

  @Override
  public FencedLockHandle withMaxHold(Duration max) {
    return with(limited(max));
  }

  @Override
  FencedLockHandle with(LeaseTerms other) {
    return new FencedLockHandle(engine(), keys(), other);
  }

  @Override
  public long fencingToken() {
    long token = requireHold().token();
    if (token == 0) {
      throw new IllegalStateException(
          "lock '%s' was not taken by a fenced handle, so this hold has no token; take it by getFencedLock first"
              .formatted(name()));
    }
    return token;
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
}
