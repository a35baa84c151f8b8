package io.mortise.jmh.contestant;

import java.util.concurrent.locks.Lock;

/** A contestant at work in this process: its connections and its locks. Thread-safe. */
public interface Site extends AutoCloseable {
  /**
   * A reentrant, unfair lock; of the floor, one that is not even reentrant.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  Lock lock(String name);

  /**
   * A lock that is had first come, first served.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  default Lock fairLock(String name) {
    throw new UnsupportedOperationException(this + " has no fair lock");
  }

  /** Ends its connections. */
  @Override
  void close();
}
