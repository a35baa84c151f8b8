package io.mortise.internal.lock;

import io.mortise.FencedLock;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.OptionalLong;

/** A handle of the exclusive lock whose holds have fencing tokens. */
final class FencedLockHandle extends LockHandle implements FencedLock {
  FencedLockHandle(Engine engine, LockKeys keys, LeaseTerms lease) {
    super(engine, keys, lease);
  }

  @Override
  public FencedLockHandle withLease(Duration fixed) {
    return with(LeaseTerms.fixed(fixed));
  }

  @Override
  public FencedLockHandle withMaxHold(Duration max) {
    return with(limited(max));
  }

  @Override
  protected FencedLockHandle with(LeaseTerms other) {
    return new FencedLockHandle(engine(), keys(), other);
  }

  @Override
  public long fencingToken() {
    long token = requireHold().token();
    if (token == 0) {
      throw new IllegalStateException(
          "lock '%s' was not taken by a fenced handle, so this hold has no token; take it by getFencedLock first"
              .formatted(Names.shown(name())));
    }
    return token;
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
}
