package io.mortise.internal.lock;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import org.jspecify.annotations.Nullable;

/** A handle of a read/write lock: one handle for each side. */
final class ReadWriteLockHandle implements DistributedReadWriteLock {
  private final ReadWriteSide reading;
  private final ReadWriteSide writing;

  ReadWriteLockHandle(Engine engine, LockKeys keys) {
    reading =
        new ReadWriteSide(engine, keys.as(LockKind.READ), engine.store().defaultLease(), true);
    writing =
        new ReadWriteSide(engine, keys.as(LockKind.WRITE), engine.store().defaultLease(), false);
  }

  @Override
  public String name() {
    return reading.name();
  }

  @Override
  public DistributedLock readLock() {
    return reading;
  }

  @Override
  public DistributedLock writeLock() {
    return writing;
  }

  @Override
  public boolean tryUpgrade() {
    return writing.tryLockBeside(reading.requireHold());
  }

  /** Handles of one lock of one service are equal. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ReadWriteLockHandle that && writing.equals(that.writing);
  }

  @Override
  public int hashCode() {
    return writing.hashCode();
  }

  @Override
  public String toString() {
    return "DistributedReadWriteLock[" + reading + ", " + writing + ']';
  }
}
