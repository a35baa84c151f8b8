package io.mortise.spi;

/**
 * Told of one channel's messages, by one thread at a time. Messages are hints: between {@link
 * #onInterrupted} and the next {@link #onSubscribed} any number may be missing. Implementations do
 * not block.
 */
public interface ChannelListener {
  /** The server has confirmed the subscription: the first time, and again after every gap. */
  void onSubscribed();

  /**
   * A message arrived.
   *
   * @param message its payload
   */
  void onMessage(String message);

  /**
   * A gap has begun; called once for each, at its start.
   *
   * @param cause what ended the subscription or refused it
   */
  void onInterrupted(Throwable cause);
}
