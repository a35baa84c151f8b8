package io.mortise.conformance.spi;

import io.mortise.conformance.support.Await;
import io.mortise.spi.ChannelListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/** Records the events of a listener: "+" subscribed, "-" interrupted, else a message. */
class Recorder implements ChannelListener {
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean overlapped;

  @Override
  public void onSubscribed() {
    record("+");
  }

  @Override
  public void onMessage(String message) {
    record(message);
  }

  @Override
  public void onInterrupted(Throwable cause) {
    record("-");
  }

  private void record(String event) {
    if (!busy.compareAndSet(false, true)) {
      overlapped = true;
    }
    events.add(event);
    busy.set(false);
  }

  List<String> events() {
    return List.copyOf(events);
  }

  List<String> messages() {
    return events.stream().filter(event -> !event.equals("+") && !event.equals("-")).toList();
  }

  /** The plus and minus signs, in order. */
  String signs() {
    return String.join("", events.stream().filter(e -> e.equals("+") || e.equals("-")).toList());
  }

  /** Whether two threads called the listener at the same time (B12). */
  boolean overlapped() {
    return overlapped;
  }

  /** Whether a call of the listener runs. */
  boolean isBusy() {
    return busy.get();
  }

  void awaitSigns(String expected) {
    awaitSigns(expected, Await.patience());
  }

  void awaitSigns(String expected, Duration patience) {
    try {
      Await.until("signs " + expected, patience, () -> signs().equals(expected));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", but " + this, e);
    }
  }

  void awaitMessage(String message) {
    try {
      Await.until("message " + message, () -> events.contains(message));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", but " + this, e);
    }
  }

  @Override
  public String toString() {
    return events.size() > 40 ? events.size() + " events, signs " + signs() : events.toString();
  }
}
