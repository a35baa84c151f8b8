package io.mortise.backend.support;

import io.mortise.spi.ChannelListener;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One subscription of one listener. It reports each event to the listener, one at a time: every gap
 * once at its start and once at its end, and nothing after {@link #close} (B11, B12, B15).
 * Thread-safe. An exception of the listener goes to the thread's uncaught exception handler.
 */
public final class ChannelSubscription {
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

  /**
   * Creates a subscription that the server has not confirmed yet.
   *
   * @param channel the channel's name
   * @param listener receives the events
   */
  public ChannelSubscription(String channel, ChannelListener listener) {
    this.channel = channel;
    this.listener = listener;
  }

  /**
   * The channel's name.
   *
   * @return as it was given
   */
  public String channel() {
    return channel;
  }

  /** Whether the server has confirmed the subscription, and no gap has begun since. */
  boolean isLive() {
    return state == State.LIVE;
  }

  /**
   * The server has confirmed the subscription. The listener is notified only if the subscription
   * was not live.
   */
  public void confirmed() {
    tell(listener::onSubscribed, State.LIVE, State.NEW, State.GAP);
  }

  /**
   * A message has arrived. It is dropped unless the subscription is live.
   *
   * @param message its content
   */
  public void message(String message) {
    tell(() -> listener.onMessage(message), State.LIVE, State.LIVE);
  }

  /**
   * The server has refused the subscription, or the connection is lost. The listener is notified
   * only at the start of a gap.
   *
   * @param cause the reason
   */
  public void interrupted(Throwable cause) {
    tell(() -> listener.onInterrupted(cause), State.GAP, State.NEW, State.LIVE);
  }

  /** Ends all notifications. Waits for a call of the listener on another thread. */
  public void close() {
    tell(() -> {}, State.CLOSED, State.NEW, State.LIVE, State.GAP);
  }

  private void tell(Runnable news, State to, State... from) {
    turn.lock();
    try {
      if (List.of(from).contains(state)) {
        state = to;
        news.run();
      }
    } catch (RuntimeException | Error e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    } finally {
      turn.unlock();
    }
  }
}
