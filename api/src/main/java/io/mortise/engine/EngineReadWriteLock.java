package io.mortise.engine;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;

/** A handle of a read/write lock: its two sides. */
final class EngineReadWriteLock implements DistributedReadWriteLock {
  private final EngineSide reading;
  private final EngineSide writing;

  EngineReadWriteLock(Engine engine, LockKeys keys) {
    reading = new EngineSide(engine, keys.as(LockKeys.Kind.READ), engine.defaultLease());
    writing = new EngineSide(engine, keys.as(LockKeys.Kind.WRITE), engine.defaultLease());
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

  @Override
  public String toString() {
    return "DistributedReadWriteLock[" + reading + ", " + writing + ']';
  }
}
