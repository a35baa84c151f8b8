package io.mortise.backend.jedis;

import io.mortise.spi.ChannelListener;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One subscription and its listener. */
final class Channel {
  private static final Logger log = LoggerFactory.getLogger(Channel.class);

  final String name;

  /** The only thread that calls the listener. */
  volatile @Nullable Thread reader;

  private final ChannelListener listener;

  /** Held while the listener is called, so that no call begins once end() has returned. */
  private final ReentrantLock turn = new ReentrantLock();

  private boolean ended;
  private volatile boolean confirmed;
  private volatile boolean gap;

  Channel(String name, ChannelListener listener) {
    this.name = name;
    this.listener = listener;
  }

  boolean isMissing() {
    return !confirmed;
  }

  void hear(Object kind, Object payload) {
    if (kind.equals("message")) {
      tell(told -> told.onMessage((String) payload));
    } else if (kind.equals("subscribe") && !confirmed) {
      confirmed = true;
      if (gap) {
        gap = false;
        log.info("{}: subscribed again", name);
      }
      tell(ChannelListener::onSubscribed);
    }
  }

  void interrupted(Exception cause) {
    confirmed = false;
    if (!gap) {
      gap = true;
      log.warn("{}: no messages until subscribed again: {}", name, cause.getMessage());
      tell(told -> told.onInterrupted(cause));
    }
  }

  private void tell(Consumer<ChannelListener> news) {
    turn.lock();
    try {
      if (!ended) {
        news.accept(listener);
      }
    } catch (RuntimeException e) {
      log.warn("{}: the listener failed", name, e);
    } finally {
      turn.unlock();
    }
  }

  void end() {
    turn.lock();
    try {
      ended = true;
    } finally {
      turn.unlock();
    }
  }
}
