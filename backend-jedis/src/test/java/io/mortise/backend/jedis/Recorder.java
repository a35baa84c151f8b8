package io.mortise.backend.jedis;

import io.mortise.spi.ChannelListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a listener: {@code +}, {@code -cause}, or the message. */
final class Recorder implements ChannelListener {
  final List<String> events = new CopyOnWriteArrayList<>();

  @Override
  public void onSubscribed() {
    events.add("+");
  }

  @Override
  public void onMessage(String message) {
    events.add(message);
  }

  @Override
  public void onInterrupted(Throwable cause) {
    events.add("-" + cause.getMessage());
  }

  void await(int events) {
    Fixture.await(events + " events, of " + this.events, () -> this.events.size() >= events);
  }
}
