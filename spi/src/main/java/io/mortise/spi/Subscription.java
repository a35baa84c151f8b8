package io.mortise.spi;

/** A subscription to a channel. Closing it ends it. */
public interface Subscription extends AutoCloseable {
  /** Ends the subscription. No listener call begins after this method has returned. Idempotent. */
  @Override
  void close();
}
