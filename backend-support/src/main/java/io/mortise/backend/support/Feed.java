package io.mortise.backend.support;

import io.mortise.spi.ChannelListener;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One subscription as its backend sees it: tells the listener what happens, one thing at a time,
 * each gap once at its start and once at its end, and nothing after {@link #close} (B11, B12, B15).
 * Thread-safe. A listener that throws is reported to the thread's uncaught exception handler.
 */
final class Feed {
  private enum State {
    NEW,
    LIVE,
    GAP,
    CLOSED
  }

  private final String channel;
  private final ChannelListener listener;
  private final ReentrantLock turn = new ReentrantLock();
  private volatile State state = State.NEW;

  /** A subscription that the server has not confirmed yet. */
  Feed(String channel, ChannelListener listener) {
    this.channel = channel;
    this.listener = listener;
  }

  String channel() {
    return channel;
  }

  /** Whether the server has confirmed the subscription, and no gap has begun since. */
  boolean isLive() {
    return state == State.LIVE;
  }

  /** The server has confirmed the subscription; news only if it was not live. */
  void confirmed() {
    tell(listener::onSubscribed, State.LIVE, State.NEW, State.GAP);
  }

  /** A message came; dropped unless the subscription is live. */
  void message(String message) {
    tell(() -> listener.onMessage(message), State.LIVE, State.LIVE);
  }

  /** The subscription was refused, or has ended for now; news only at the start of a gap. */
  void interrupted(Throwable cause) {
    tell(() -> listener.onInterrupted(cause), State.GAP, State.NEW, State.LIVE);
  }

  /** Tells nothing any more. Waits for a call of the listener that another thread is in. */
  void close() {
    tell(() -> {}, State.CLOSED, State.NEW, State.LIVE, State.GAP);
  }

  private void tell(Runnable news, State to, State... from) {
    turn.lock();
    try {
      if (List.of(from).contains(state)) {
        state = to;
        news.run();
      }
    } catch (RuntimeException e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } finally {
      turn.unlock();
    }
  }
}
