package io.mortise.spi.support;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One subscription as its backend sees it: tells the listener what happens, one thing at a time,
 * each gap once at its start and once at its end, and nothing after {@link #close} (B11, B12, B15).
 * Thread-safe. A listener that throws is reported to the thread's uncaught exception handler.
 */
public final class Feed implements Subscription {
  private enum State {
    NEW,
    LIVE,
    GAP,
    CLOSED
  }

  private final String channel;
  private final ChannelListener listener;
  private final Runnable atClose;
  private final ReentrantLock turn = new ReentrantLock();
  private volatile State state = State.NEW;

  /**
   * A subscription that the server has not confirmed yet.
   *
   * @param channel the channel's full name
   * @param listener who is told
   * @param atClose run once, when the subscription is closed; it may still be under way
   */
  public Feed(String channel, ChannelListener listener, Runnable atClose) {
    this.channel = channel;
    this.listener = listener;
    this.atClose = atClose;
  }

  /**
   * The channel.
   *
   * @return its full name
   */
  public String channel() {
    return channel;
  }

  /**
   * Whether the server has confirmed the subscription, and no gap has begun since.
   *
   * @return whether messages arrive
   */
  public boolean isLive() {
    return state == State.LIVE;
  }

  /** The server has confirmed the subscription; news only if it was not live. */
  public void confirmed() {
    tell(listener::onSubscribed, State.LIVE, State.NEW, State.GAP);
  }

  /**
   * A message came; dropped unless the subscription is live.
   *
   * @param message its payload
   */
  public void message(String message) {
    tell(() -> listener.onMessage(message), State.LIVE, State.LIVE);
  }

  /**
   * The subscription was refused, or has ended for now; news only at the start of a gap.
   *
   * @param cause why
   */
  public void interrupted(Throwable cause) {
    tell(() -> listener.onInterrupted(cause), State.GAP, State.NEW, State.LIVE);
  }

  /** Waits for a call of the listener that another thread is in. */
  @Override
  public void close() {
    tell(atClose, State.CLOSED, State.NEW, State.LIVE, State.GAP);
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
