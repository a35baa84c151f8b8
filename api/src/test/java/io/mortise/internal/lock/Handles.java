package io.mortise.internal.lock;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;

/** Creates handles for tests of the engine package, which has none. */
public final class Handles {
  private Handles() {}

  public static DistributedLock of(Engine engine, LockKeys keys) {
    return of(engine, keys, engine.store().defaultLease());
  }

  public static DistributedLock of(Engine engine, LockKeys keys, LeaseTerms lease) {
    return new LockHandle(engine, keys, lease);
  }

  public static DistributedReadWriteLock readWrite(Engine engine, LockKeys keys) {
    return new ReadWriteLockHandle(engine, keys);
  }

  public static DistributedSemaphore semaphore(Engine engine, LockKeys keys) {
    return new SemaphoreHandle(engine, keys, engine.store().defaultLease());
  }
}
