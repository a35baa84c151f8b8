package io.mortise.conformance.sample;

import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.RespException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** All subscriptions, on one connection, kept by one thread that begins with the first. */
final class SampleMessages implements AutoCloseable {
  private static final Duration QUIET = Duration.ofSeconds(3);

  private final SampleEndpoint endpoint;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Entry> entries = new ArrayList<>();
  private @Nullable RespConnection connection;
  private long sent;
  private long confirmed;
  private boolean started;
  private boolean closed;

  SampleMessages(SampleEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    Entry entry = new Entry(channel, listener);
    lock.lock();
    try {
      entries.add(entry);
      send(entry);
      if (!started) {
        started = true;
        SampleBackend.daemon(this::keepSubscribed, "sample-messages").start();
      }
    } finally {
      lock.unlock();
    }
    return entry;
  }

  private void keepSubscribed() {
    while (isOpen()) {
      try (RespConnection next = endpoint.connect(QUIET)) {
        begin(next);
        readAll(next);
      } catch (IOException | RespException e) {
        end(e);
      }
    }
  }

  private boolean isOpen() {
    lock.lock();
    try {
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void begin(RespConnection next) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("closed");
      }
      connection = next;
      sent = 0;
      confirmed = 0;
      entries.forEach(this::send);
    } finally {
      lock.unlock();
    }
  }

  /** Asks for the entry's channel; the answers come in the order of the questions. */
  private void send(Entry entry) {
    if (connection != null) {
      sent++;
      entry.ticket = sent;
      trySend(connection, "SUBSCRIBE", entry.channel);
    }
  }

  private static void trySend(RespConnection to, String... words) {
    try {
      to.send(words);
    } catch (IOException e) {
      to.close(); // The reading thread finds out.
    }
  }

  private void readAll(RespConnection from) throws IOException {
    from.timeout(QUIET);
    boolean asked = false;
    while (true) {
      try {
        dispatch(from.read());
        asked = false;
      } catch (SocketTimeoutException e) {
        if (asked) {
          throw e;
        }
        lock.lock();
        try {
          from.send("PING");
        } finally {
          lock.unlock();
        }
        asked = true;
      }
    }
  }

  private void dispatch(@Nullable Object reply) {
    if (!(reply instanceof List<?> parts) || parts.size() < 3) {
      return;
    }
    String channel = String.valueOf(parts.get(1));
    if ("message".equals(parts.get(0))) {
      String message = String.valueOf(parts.get(2));
      of(channel).forEach(entry -> entry.tellMessage(message));
    } else if ("subscribe".equals(parts.get(0))) {
      confirmed++;
      of(channel).forEach(Entry::tellSubscribed);
    }
  }

  /** Those whose own request the server has answered. */
  private List<Entry> of(String channel) {
    lock.lock();
    try {
      return entries.stream()
          .filter(entry -> entry.channel.equals(channel) && entry.ticket <= confirmed)
          .toList();
    } finally {
      lock.unlock();
    }
  }

  private void end(Exception cause) {
    List<Entry> all;
    lock.lock();
    try {
      connection = null;
      all = closed ? List.of() : List.copyOf(entries);
    } finally {
      lock.unlock();
    }
    all.forEach(entry -> entry.tellInterrupted(cause));
    LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
  }

  @Override
  public void close() {
    List<Entry> all;
    lock.lock();
    try {
      closed = true;
      if (connection != null) {
        connection.close();
      }
      all = List.copyOf(entries);
    } finally {
      lock.unlock();
    }
    all.forEach(Entry::close);
  }

  /** One listener of one channel. Its lock is held during its calls, so close() waits for them. */
  private final class Entry implements Subscription {
    final String channel;
    private final ChannelListener listener;
    private final ReentrantLock telling = new ReentrantLock();
    private long ticket = Long.MAX_VALUE;
    private boolean subscribed;
    private boolean interrupted;
    private boolean ended;

    Entry(String channel, ChannelListener listener) {
      this.channel = channel;
      this.listener = listener;
    }

    void tellMessage(String message) {
      exclusively(() -> listener.onMessage(message));
    }

    void tellSubscribed() {
      exclusively(() -> {
        if (!subscribed) {
          subscribed = true;
          interrupted = false;
          listener.onSubscribed();
        }
      });
    }

    void tellInterrupted(Exception cause) {
      exclusively(() -> {
        if (!interrupted) {
          interrupted = true;
          subscribed = false;
          listener.onInterrupted(cause);
        }
      });
    }

    private void exclusively(Runnable call) {
      telling.lock();
      try {
        if (!ended) {
          call.run();
        }
      } finally {
        telling.unlock();
      }
    }

    @Override
    public void close() {
      exclusively(() -> ended = true);
      lock.lock();
      try {
        if (entries.remove(this) && connection != null && isUnused(channel)) {
          trySend(connection, "UNSUBSCRIBE", channel);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isUnused(String channel) {
    return entries.stream().noneMatch(entry -> entry.channel.equals(channel));
  }
}
