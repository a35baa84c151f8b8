package io.mortise.spi;

/**
 * A listener to the messages of one channel, called by one thread at a time. Messages are hints:
 * between {@link #onInterrupted} and the next {@link #onSubscribed}, any number of them may be
 * missing. Implementations must not block.
 */
public interface ChannelListener {
  /** The server has confirmed the subscription: at first, and again after every gap. */
  void onSubscribed();

  /**
   * A message arrived.
   *
   * @param message the payload
   */
  void onMessage(String message);

  /**
   * A gap has begun. Called once for each gap, at its start.
   *
   * @param cause the reason why the subscription ended or was refused
   */
  void onInterrupted(Throwable cause);
}
