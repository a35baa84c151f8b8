package io.mortise.backend.sample;

import io.mortise.backend.support.Channels;
import io.mortise.backend.support.Threads;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** All subscriptions, on one connection: one thread reads, the other sends. */
final class SampleMessages {
  private static final Duration SILENCE = Duration.ofSeconds(3);

  private final SampleEndpoint endpoint;
  private final ScheduledThreadPoolExecutor reader = Threads.daemons("sample-reader", 1);
  private final ScheduledThreadPoolExecutor writer = Threads.daemons("sample-writer", 1);
  private final Channels channels =
      new Channels(writer, this::ask, channel -> send("UNSUBSCRIBE", channel));

  /** The writer's own. */
  private @Nullable RespConnection link;

  SampleMessages(SampleEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    return channels.subscribe(channel, listener);
  }

  void close() {
    channels.close();
    writer.execute(() -> send("UNSUBSCRIBE")); // the reply ends the reading
  }

  private void ask(String channel) {
    if (reader.getQueue().isEmpty()) {
      reader.execute(this::serve);
    }
    send("SUBSCRIBE", channel);
  }

  private void send(String... words) {
    try {
      if (link != null) {
        link.send(words);
      } else if (words[0].equals("UNSUBSCRIBE") && words.length > 1) {
        channels.left(words[1]);
      }
    } catch (IOException e) {
      link = null; // the reader finds out
    }
  }

  private void serve() {
    while (!channels.isEmpty()) {
      try (RespConnection connection = endpoint.connect(SILENCE)) {
        writer.execute(() -> begin(connection));
        read(connection);
      } catch (IOException e) {
        channels.interrupted(e);
        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(100));
      } finally {
        writer.execute(() -> link = null);
      }
    }
  }

  private void begin(RespConnection connection) {
    link = connection;
    channels.connected();
    refresh(connection);
  }

  /** Each second: a PING, so that silence means death, and what is not confirmed once more. */
  private void refresh(RespConnection connection) {
    if (link == connection) {
      channels.awaited().forEach(channel -> send("SUBSCRIBE", channel));
      send("PING");
      ScheduledFuture<?> unused = writer.schedule(() -> refresh(connection), 1, TimeUnit.SECONDS);
    }
  }

  private void read(RespConnection connection) throws IOException {
    while (!channels.isEmpty()) {
      try {
        if (connection.read() instanceof List<?> news) {
          channels.hear(news);
        }
      } catch (RespException e) {
        channels.awaited().forEach(channel -> channels.refused(channel, e));
      }
    }
  }
}
