package io.mortise;

/** A registered listener; closing it removes the listener. */
public interface Registration extends AutoCloseable {
  /** Removes the listener. Idempotent. */
  @Override
  void close();
}
