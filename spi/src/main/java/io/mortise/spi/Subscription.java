package io.mortise.spi;

/** A running subscription; closing it ends it. */
public interface Subscription extends AutoCloseable {
  /** Ends the subscription; no listener call begins after this returns. Idempotent. */
  @Override
  void close();
}
