package io.mortise.backend.jedis;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import io.mortise.spi.support.Feed;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * All channels over one connection outside the pool. The reader connects and listens. The writer
 * sends, so that nobody waits for a socket and nothing needs a lock; its PING each second makes a
 * silent connection a dead one. Both threads end soon after the last channel.
 */
final class Subscriber {
  private static final int SILENCE_MILLIS = 3_000;

  private final ConnectionPool pool;
  private final Runnable requireOpen;
  private final List<Feed> feeds = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor reader = threads("reader", 1);
  private final ScheduledThreadPoolExecutor writer = threads("writer", 1);

  /** Channels whose UNSUBSCRIBE is under way: till its reply, confirmed is an older SUBSCRIBE. */
  private final Queue<String> leaving = new ConcurrentLinkedQueue<>();

  /** The writer's own. Sending on one that was disconnected would make Jedis connect it anew. */
  private @Nullable Connection link;

  Subscriber(ConnectionPool pool, Runnable requireOpen) {
    this.pool = pool;
    this.requireOpen = requireOpen;
  }

  /** Daemons that end when they have been idle for a while. */
  static ScheduledThreadPoolExecutor threads(String role, int most) {
    ScheduledThreadPoolExecutor threads =
        new ScheduledThreadPoolExecutor(
            most,
            task -> {
              Thread thread = new Thread(task, "mortise-jedis-" + role);
              thread.setDaemon(true);
              return thread;
            });
    threads.setKeepAliveTime(2, TimeUnit.SECONDS);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    Feed feed = new Feed(channel, listener, () -> {});
    writer.execute(() -> join(feed));
    return () -> {
      feed.close();
      writer.execute(() -> leave(feed));
    };
  }

  /** UNSUBSCRIBE from all. Its reply ends the reading, and so the connection. */
  void close() {
    feeds.forEach(Feed::close);
    writer.execute(() -> {
      feeds.clear();
      send(Command.UNSUBSCRIBE);
    });
  }

  /** Fails, unseen, if the backend was closed meanwhile. */
  private void join(Feed feed) {
    requireOpen.run();
    feeds.add(feed);
    if (reader.getQueue().isEmpty()) {
      reader.execute(this::serve);
    }
    send(Command.SUBSCRIBE, feed.channel());
  }

  private void leave(Feed feed) {
    feeds.remove(feed);
    if (feeds.stream().noneMatch(other -> other.channel().equals(feed.channel()))) {
      leaving.add(feed.channel());
      send(Command.UNSUBSCRIBE, feed.channel());
    }
  }

  private void send(Command command, String... words) {
    if (link != null && !link.isBroken()) {
      link.sendCommand(command, words);
      link.getMany(0); // reads nothing, but flushes
    }
  }

  /** Each second, as long as the connection is there. Asks again for channels not confirmed. */
  private void refresh(Connection connection) {
    if (!connection.isBroken()) {
      link = connection;
      leaving.clear();
      feeds.stream().filter(f -> !f.isLive()).forEach(f -> send(Command.SUBSCRIBE, f.channel()));
      send(Command.PING);
      ScheduledFuture<?> unused = writer.schedule(() -> refresh(connection), 1, TimeUnit.SECONDS);
    }
  }

  /** Reads as long as anyone listens. */
  private void serve() {
    while (!feeds.isEmpty()) {
      try {
        read(pool.getFactory().makeObject().getObject());
      } catch (Exception e) {
        pool.clear(); // what ended this connection may have ended those
        feeds.forEach(feed -> feed.interrupted(e));
        int pause = ThreadLocalRandom.current().nextInt(50, 500);
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(pause));
      }
    }
  }

  private void read(Connection connection) {
    writer.execute(() -> refresh(connection));
    try {
      connection.setSoTimeout(SILENCE_MILLIS);
      while (!feeds.isEmpty()) {
        readOne(connection);
      }
    } finally {
      writer.execute(connection::disconnect);
    }
  }

  private void readOne(Connection connection) {
    try {
      if (SafeEncoder.encodeObject(connection.getUnflushedObject()) instanceof List<?> news) {
        hear(news);
      }
    } catch (JedisDataException e) {
      // A refusal names no channel: those confirmed meanwhile will say so.
      feeds.stream().filter(feed -> !feed.isLive()).forEach(feed -> feed.interrupted(e));
    }
  }

  private void hear(List<?> news) {
    Stream<Feed> heard = feeds.stream().filter(feed -> feed.channel().equals(news.get(1)));
    switch ((String) news.get(0)) {
      case "message" -> heard.forEach(feed -> feed.message((String) news.get(2)));
      case "unsubscribe" -> leaving.remove((String) news.get(1));
      case "subscribe" ->
          heard.filter(f -> !leaving.contains(f.channel())).forEach(Feed::confirmed);
      default -> {}
    }
  }
}
