package io.mortise.conformance.lock;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The messages to one listener, which can get lost, come late, come twice, or be cut off. */
final class FaultyMail {
  /** What happens to a message. */
  enum Fate {
    /** It comes. */
    COMES,
    /** It is lost, though the server counted its receiver. */
    LOST,
    /** It comes when the test says so. */
    LATE,
    /** It comes, and once more when the test says so. */
    TWICE
  }

  private final LockBackend store;
  private final String channel;
  private final ChannelListener listener;
  private final Queue<String> later = new ArrayDeque<>();
  private Fate fate = Fate.COMES;
  private @Nullable Subscription subscription;

  FaultyMail(LockBackend store, String channel, ChannelListener listener) {
    this.store = store;
    this.channel = channel;
    this.listener = listener;
  }

  /** From now on. */
  synchronized void set(Fate fate) {
    this.fate = fate;
  }

  private synchronized void message(String message) {
    if (fate == Fate.LATE || fate == Fate.TWICE) {
      later.add(message);
    }
    if (fate == Fate.COMES || fate == Fate.TWICE) {
      listener.onMessage(message);
    }
  }

  synchronized int kept() {
    return later.size();
  }

  /** The kept messages come now. */
  synchronized void deliver() {
    for (String message = later.poll(); message != null; message = later.poll()) {
      listener.onMessage(message);
    }
  }

  /** The subscription ends in the store, and the listener is told of a gap. */
  void cut() {
    close();
    listener.onInterrupted(new IllegalStateException("the test cut the subscription"));
  }

  /** Subscribes, for the first time or again. */
  void join() {
    Subscription joined =
        store.subscribe(
            channel,
            new ChannelListener() {
              @Override
              public void onSubscribed() {
                listener.onSubscribed();
              }

              @Override
              public void onMessage(String message) {
                message(message);
              }

              @Override
              public void onInterrupted(Throwable cause) {
                listener.onInterrupted(cause);
              }
            });
    synchronized (this) {
      subscription = joined;
    }
  }

  void close() {
    Subscription open;
    synchronized (this) {
      open = subscription;
      subscription = null;
    }
    if (open != null) {
      open.close();
    }
  }
}
