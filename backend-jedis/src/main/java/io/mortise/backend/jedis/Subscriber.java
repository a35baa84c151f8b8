package io.mortise.backend.jedis;

import io.mortise.backend.support.Channels;
import io.mortise.backend.support.Threads;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * All channels over one connection outside the pool. The reader connects and listens. The writer
 * sends, so that nobody waits for a socket, and in the order in which feeds come and go; its PING
 * each second makes a silent connection a dead one. Both threads end soon after the last channel.
 */
final class Subscriber {
  private static final int SILENCE_MILLIS = 3_000;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final ConnectionPool pool;
  private final ScheduledThreadPoolExecutor reader = Threads.daemons("mortise-jedis-reader", 1);
  private final ScheduledThreadPoolExecutor writer = Threads.daemons("mortise-jedis-writer", 1);
  private final Channels channels =
      new Channels(writer, this::ask, name -> send(Command.UNSUBSCRIBE, name));

  /** The writer's own. Sending on one that was disconnected would make Jedis connect it anew. */
  private @Nullable Connection link;

  Subscriber(ConnectionPool pool) {
    this.pool = pool;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    return channels.subscribe(channel, listener);
  }

  /** UNSUBSCRIBE from all. Its reply ends the reading, and so the connection. */
  void close() {
    channels.close();
    writer.execute(() -> send(Command.UNSUBSCRIBE));
  }

  private void ask(String channel) {
    if (reader.getQueue().isEmpty()) {
      reader.execute(this::serve);
    }
    send(Command.SUBSCRIBE, channel);
  }

  /** On the writer, as everything that sends. */
  private void send(Command command, String... words) {
    if (link != null && !link.isBroken()) {
      link.sendCommand(command, words);
      link.getMany(0); // reads nothing, but flushes
    } else if (command == Command.UNSUBSCRIBE && words.length > 0) {
      channels.left(words[0]);
    }
  }

  /** Each second, as long as the connection is there. Asks again for channels not confirmed. */
  private void refresh(Connection connection) {
    if (!connection.isBroken()) {
      channels.awaited().forEach(name -> send(Command.SUBSCRIBE, name));
      send(Command.PING);
      ScheduledFuture<?> unused = writer.schedule(() -> refresh(connection), 1, TimeUnit.SECONDS);
    }
  }

  /** Reads as long as anyone listens. */
  private void serve() {
    while (!channels.isEmpty()) {
      try {
        read(pool.getFactory().makeObject().getObject());
      } catch (Exception e) {
        pool.clear(); // what ended this connection may have ended those
        channels.interrupted(e);
        LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(PAUSE, 10 * PAUSE));
      }
    }
  }

  private void read(Connection connection) {
    writer.execute(() -> {
      link = connection;
      channels.connected();
      refresh(connection);
    });
    try {
      connection.setSoTimeout(SILENCE_MILLIS);
      while (!channels.isEmpty()) {
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
      channels.awaited().forEach(name -> channels.refused(name, e));
    }
  }

  private void hear(List<?> news) {
    String channel = String.valueOf(news.get(1));
    switch (String.valueOf(news.get(0))) {
      case "message" -> channels.message(channel, String.valueOf(news.get(2)));
      case "subscribe" -> channels.confirmed(channel);
      case "unsubscribe" -> channels.left(channel);
      default -> {}
    }
  }
}
