package io.mortise.engine;

import io.mortise.FencedLock;
import java.time.Duration;
import java.util.Objects;

/** A handle of the exclusive lock whose holds have tokens. */
final class EngineFencedLock extends EngineLock implements FencedLock {
  EngineFencedLock(Engine engine, LockKeys keys, LeasePolicy lease) {
    super(engine, keys, lease);
  }

  @Override
  public EngineFencedLock withLease(Duration fixed) {
    return with(LeasePolicy.fixed(Objects.requireNonNull(fixed, "lease")));
  }

  @Override
  EngineFencedLock with(LeasePolicy other) {
    return new EngineFencedLock(engine(), keys(), other);
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
    try {
      return fencingToken();
    } catch (IllegalMonitorStateException | IllegalStateException e) {
      unlock();
      throw e;
    }
  }
}
