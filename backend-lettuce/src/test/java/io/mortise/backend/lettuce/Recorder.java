package io.mortise.backend.lettuce;

import io.mortise.spi.ChannelListener;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener that records its events. */
class Recorder implements ChannelListener {
  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<Throwable> causes = new CopyOnWriteArrayList<>();
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();
  private volatile long lastEvent = System.nanoTime();

  @Override
  public void onSubscribed() {
    record("subscribed");
  }

  @Override
  public void onMessage(String message) {
    record(message);
  }

  @Override
  public void onInterrupted(Throwable cause) {
    causes.add(cause);
    record("interrupted");
  }

  private void record(String event) {
    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
    events.add(event);
    lastEvent = System.nanoTime();
    inside.decrementAndGet();
  }

  List<String> events() {
    return List.copyOf(events);
  }

  List<Throwable> causes() {
    return List.copyOf(causes);
  }

  /** The greatest number of calls at the same time. */
  int mostAtOnce() {
    return most.get();
  }

  /** Whether there was no event for that long. */
  boolean lasted(Duration time) {
    return Fixture.since(lastEvent).compareTo(time) >= 0;
  }

  final void await(String event) {
    await(event, 1);
  }

  final void await(String event, int times) {
    Fixture.await(event + " in " + events, () -> Collections.frequency(events, event) >= times);
  }
}
