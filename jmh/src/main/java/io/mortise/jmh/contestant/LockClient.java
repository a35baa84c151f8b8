package io.mortise.jmh.contestant;

import java.util.concurrent.locks.Lock;

/**
 * A client of one library as another process would have it: with its own connections and its own
 * name in the store. The cases of the comparison with Redisson use it.
 */
public interface LockClient extends AutoCloseable {
  /**
   * A new handle of the plain lock: reentrant and unfair.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  Mutex mutex(String name);

  /**
   * A new handle of a lock of any kind.
   *
   * @param kind which kind
   * @param name the same name is the same lock
   * @return a handle
   */
  Lock lock(ComparedLock kind, String name);

  /** Ends its connections. */
  @Override
  void close();
}
