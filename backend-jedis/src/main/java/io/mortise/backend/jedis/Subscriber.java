package io.mortise.backend.jedis;

import io.mortise.backend.support.Channels;
import io.mortise.backend.support.Pulse;
import io.mortise.backend.support.Threads;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * All channels over one connection outside the pool. The reader connects and listens. The writer
 * sends, so that nobody waits for a socket, and in the order in which feeds come and go. While the
 * backend is used it sends PING at each beat, and ends a connection that was silent for three. Both
 * threads end soon after the last channel.
 */
final class Subscriber {
  private static final int SILENCE = 3;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final ConnectionPool pool;
  private final ScheduledThreadPoolExecutor reader = Threads.daemons("mortise-jedis-reader", 1);
  private final ScheduledThreadPoolExecutor writer = Threads.daemons("mortise-jedis-writer", 1);
  private final Channels channels =
      new Channels(writer, this::ask, name -> send(Command.UNSUBSCRIBE, name));

  /** Beats since something was heard. */
  private final AtomicInteger unheard = new AtomicInteger();

  /** To be told of every call: after it somebody may wait for a message. */
  final Pulse pulse;

  /** The writer's own. Sending on one that was disconnected would make Jedis connect it anew. */
  private @Nullable Connection link;

  Subscriber(ConnectionPool pool, Duration beat) {
    this.pool = pool;
    pulse = new Pulse(this::beat, beat);
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

  /** On the writer, as everything that sends. After it beats go on, to see whether it arrives. */
  private void send(Command command, String... words) {
    if (command != Command.PING) {
      pulse.use();
    }
    if (link != null && !link.isBroken()) {
      link.sendCommand(command, words);
      link.getMany(0); // reads nothing, but flushes
    } else if (command == Command.UNSUBSCRIBE && words.length > 0) {
      channels.left(words[0]);
    }
  }

  private void beat() {
    if (reader.getActiveCount() > 0) {
      writer.execute(this::refresh);
    }
  }

  /** Asks again for channels not confirmed, and ends a connection that says nothing. */
  private void refresh() {
    channels.awaited().forEach(name -> send(Command.SUBSCRIBE, name));
    if (link != null && unheard.getAndIncrement() >= SILENCE) {
      link.disconnect();
    }
    send(Command.PING);
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
      unheard.set(0);
      channels.connected();
      refresh();
    });
    try {
      connection.setSoTimeout(0); // as long as the writer lets it
      while (!channels.isEmpty()) {
        readOne(connection);
        unheard.set(0);
      }
    } finally {
      writer.execute(connection::disconnect);
    }
  }

  private void readOne(Connection connection) {
    try {
      if (SafeEncoder.encodeObject(connection.getUnflushedObject()) instanceof List<?> news) {
        channels.hear(news);
      }
    } catch (JedisDataException e) {
      // A refusal names no channel: those confirmed meanwhile will say so.
      channels.awaited().forEach(name -> channels.refused(name, e));
    }
  }
}
