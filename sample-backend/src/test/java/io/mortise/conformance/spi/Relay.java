package io.mortise.conformance.spi;

import io.mortise.spi.ChannelListener;

/** Forwards everything to the listener. */
class Relay implements ChannelListener {
  private final ChannelListener listener;

  Relay(ChannelListener listener) {
    this.listener = listener;
  }

  @Override
  public void onSubscribed() {
    listener.onSubscribed();
  }

  @Override
  public void onMessage(String message) {
    listener.onMessage(message);
  }

  @Override
  public void onInterrupted(Throwable cause) {
    listener.onInterrupted(cause);
  }
}
