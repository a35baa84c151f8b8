package io.mortise.backend.support.sentinel;

import io.mortise.spi.BackendException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The connections that a {@link SentinelRouter} needs, made with one client library. All methods
 * block, so the router calls them on threads of its own.
 */
public interface SentinelNodes extends AutoCloseable {
  /**
   * How often a link to a sentinel is pinged for a while after it was used. It is twice that of a
   * server with data, since a sentinel is asked by many, and the others tell what one does not.
   */
  Duration BEAT = Duration.ofSeconds(2);

  /**
   * Connects to a server with data.
   *
   * @param place its host and port
   * @return an open backend of that server alone
   * @throws BackendException it cannot be reached, or is no master
   */
  LockBackend master(String place);

  /**
   * Connects to a sentinel.
   *
   * @param place its host and port
   * @return a link that the caller closes
   * @throws BackendException it cannot be reached, or is no sentinel
   */
  Sentinel sentinel(String place);

  /**
   * As {@link LockBackend#time}, for the masters.
   *
   * @return the same object every time; system time by default
   */
  default TimeSource time() {
    return TimeSource.system();
  }

  /**
   * Ends what the connections share, and those that are just being made. The other connections are
   * closed before.
   */
  @Override
  void close();

  /** A link to one sentinel. */
  interface Sentinel extends AutoCloseable {
    /**
     * Asks the sentinel.
     *
     * @param words the command and its arguments
     * @return the reply; a map in it is a list of keys and values in turn
     * @throws BackendException the sentinel has refused the command: REPLIED, with its error
     * @throws Exception the sentinel does not answer in time, or the link is lost
     */
    List<?> ask(String... words) throws Exception;

    /**
     * Subscribes to a channel; see {@link LockBackend#subscribe}.
     *
     * @param channel the channel's name
     * @param listener receives the events
     * @return the subscription
     */
    Subscription subscribe(String channel, ChannelListener listener);

    @Override
    void close();
  }
}
