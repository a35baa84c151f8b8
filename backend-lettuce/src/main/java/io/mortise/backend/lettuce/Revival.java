package io.mortise.backend.lettuce;

import io.lettuce.core.protocol.ConnectionWatchdog;
import io.netty.channel.Channel;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees that a link that ends has a successor. Lettuce plans each attempt to reconnect at the end of
 * the one before. An {@link Error} on the way, for example because no thread can be made, is the
 * last it does: it plans no other attempt. So if some seconds bring no new link, this class makes
 * an attempt, as often as it takes. Thread-safe.
 */
final class Revival {
  /** Far longer than the pause between two attempts of Lettuce. */
  private static final long PAUSE_MS = 5000;

  private static final Logger LOG = LoggerFactory.getLogger(Revival.class);

  private final EventExecutorGroup workers;

  /** The latest link of each connection. A connection has one watchdog for all its links. */
  private final Map<ConnectionWatchdog, Channel> latest = new ConcurrentHashMap<>();

  /**
   * @param workers the threads on which Lettuce reconnects
   */
  Revival(EventExecutorGroup workers) {
    this.workers = workers;
  }

  /**
   * Notes a new link. An attempt whose thread could not be made may run when there is a thread
   * again, long after another one had success.
   *
   * @return false if its connection has another open link, so that this one must be closed
   */
  @SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
  boolean takes(Channel link) {
    ConnectionWatchdog watchdog = link.pipeline().get(ConnectionWatchdog.class);
    if (watchdog == null) {
      return true;
    }
    Channel present =
        latest.compute(watchdog, (same, last) -> last != null && last.isOpen() ? last : link);
    if (!present.equals(link)) {
      return false;
    }
    link.closeFuture().addListener(end -> checkLater(watchdog, link, true));
    return true;
  }

  /** The thread of the link has run before. So this needs no new thread. */
  @SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
  private void checkLater(ConnectionWatchdog watchdog, Channel ended, boolean first) {
    if (!isOver(watchdog, ended)) {
      try {
        ended
            .eventLoop()
            .schedule(() -> check(watchdog, ended, first), PAUSE_MS, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        latest.remove(watchdog, ended); // the threads have ended meanwhile
      }
    }
  }

  /** Whether the connection was closed, or has never been open. */
  private boolean isOver(ConnectionWatchdog watchdog, Channel ended) {
    boolean over =
        !watchdog.isListenOnChannelInactive()
            || workers.isShuttingDown()
            || ended.eventLoop().isShuttingDown();
    if (over) {
      latest.remove(watchdog, ended);
    }
    return over;
  }

  private void check(ConnectionWatchdog watchdog, Channel ended, boolean first) {
    if (!isOver(watchdog, ended) && ended.equals(latest.get(watchdog))) {
      attempt(watchdog, ended, first);
      checkLater(watchdog, ended, false);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the next check shows whether it had success
  private void attempt(ConnectionWatchdog watchdog, Channel ended, boolean first) {
    if (first) {
      LOG.warn("{}: Lettuce has stopped to reconnect; trying again", ended.remoteAddress());
    }
    try {
      workers.submit(() -> {
        if (ended.equals(latest.get(watchdog))) {
          watchdog.run(1);
        }
        return null;
      });
    } catch (RuntimeException | Error e) {
      LOG.debug("cannot reconnect, until the next check", e);
    }
  }
}
