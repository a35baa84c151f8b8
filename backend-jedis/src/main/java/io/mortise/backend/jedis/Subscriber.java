package io.mortise.backend.jedis;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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
 * All channels over one connection outside the pool. One thread connects and reads. Another does
 * all else, so that nothing needs a lock; its PING each second makes a silent connection a dead
 * one. Both threads end with the last channel.
 */
final class Subscriber {
  private static final int PING_MILLIS = 1_000;
  private static final int SILENCE_MILLIS = 3_000;
  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ConnectionPool pool;
  private final List<Channel> channels = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor writer =
      new ScheduledThreadPoolExecutor(1, JedisBackend.daemons("writer"));
  private volatile @Nullable Thread reader;

  /** These two are the writer's own. */
  private @Nullable Connection link;

  private boolean closed;

  Subscriber(ConnectionPool pool) {
    this.pool = pool;
    writer.setKeepAliveTime(2, TimeUnit.SECONDS);
    writer.allowCoreThreadTimeOut(true);
  }

  Subscription subscribe(String name, ChannelListener listener) {
    Channel channel = new Channel(name, listener);
    writer.execute(() -> add(channel));
    return () -> {
      channel.end();
      writer.execute(() -> remove(channel));
    };
  }

  void close() {
    channels.forEach(Channel::end);
    writer.execute(() -> {
      closed = true;
      channels.forEach(this::remove);
    });
  }

  private void add(Channel channel) {
    if (closed) {
      return;
    }
    Thread thread = reader;
    if (thread == null) {
      thread = JedisBackend.daemons("reader").newThread(this::keepReading);
      reader = thread;
      thread.start();
    }
    channel.reader = thread;
    channels.add(channel);
    send(Command.SUBSCRIBE, channel.name);
  }

  private void remove(Channel channel) {
    channels.remove(channel);
    if (channels.isEmpty()) {
      reader = null;
      if (link != null) {
        link.disconnect();
      }
    } else if (channels.stream().noneMatch(other -> other.name.equals(channel.name))) {
      send(Command.UNSUBSCRIBE, channel.name);
    }
  }

  private void refresh(Connection connection, Thread by) {
    if (!by.equals(reader)) {
      connection.disconnect();
    } else if (!connection.isBroken()) {
      link = connection;
      channels.stream().filter(Channel::isMissing).forEach(c -> send(Command.SUBSCRIBE, c.name));
      send(Command.PING);
    }
  }

  /** Not on a connection that was cut: Jedis would connect it anew. */
  private void send(Command command, String... words) {
    Connection to = link;
    if (to != null && !to.isBroken()) {
      to.sendCommand(command, words);
      to.getMany(0); // reads nothing, but flushes
    }
  }

  private void keepReading() {
    long pause = MIN_PAUSE_NANOS;
    while (isReader()) {
      long start = System.nanoTime();
      try {
        read(pool.getFactory().makeObject().getObject());
      } catch (Exception e) {
        interrupted(e);
      }
      LockSupport.parkNanos(this, pause);
      boolean lasted = System.nanoTime() - start > 2 * MAX_PAUSE_NANOS;
      pause = lasted ? MIN_PAUSE_NANOS : Math.min(2 * pause, MAX_PAUSE_NANOS);
    }
  }

  private boolean isReader() {
    return Thread.currentThread().equals(reader);
  }

  /** Not those of the next reader, which may have begun. */
  private Stream<Channel> own() {
    return channels.stream().filter(channel -> Thread.currentThread().equals(channel.reader));
  }

  private void interrupted(Exception cause) {
    if (isReader()) {
      pool.clear(); // what ended this connection may have ended those
      own().forEach(channel -> channel.interrupted(cause));
    }
  }

  private void read(Connection connection) {
    Thread self = Thread.currentThread();
    ScheduledFuture<?> refreshing =
        writer.scheduleWithFixedDelay(
            () -> refresh(connection, self), 0, PING_MILLIS, TimeUnit.MILLISECONDS);
    try {
      connection.setSoTimeout(SILENCE_MILLIS);
      while (isReader()) {
        readOne(connection);
      }
    } finally {
      refreshing.cancel(false);
      writer.execute(connection::disconnect);
    }
  }

  private void readOne(Connection connection) {
    try {
      Object news = SafeEncoder.encodeObject(connection.getUnflushedObject());
      if (news instanceof List<?> words && words.size() > 2) {
        own()
            .filter(channel -> channel.name.equals(words.get(1)))
            .forEach(channel -> channel.hear(words.get(0), words.get(2)));
      }
    } catch (JedisDataException e) {
      // A refusal names no channel: those confirmed meanwhile will say so.
      own().filter(Channel::isMissing).forEach(channel -> channel.interrupted(e));
    }
  }
}
