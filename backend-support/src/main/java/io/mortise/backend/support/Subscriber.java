package io.mortise.backend.support;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * All channels over one connection, of a client that reads by blocking. The reader connects and
 * listens. The writer sends, so that nobody waits for a socket, and in the order in which feeds
 * come and go. While the backend is used it sends PING at each beat, and ends a connection that was
 * silent for three. Both threads end soon after the last channel. Thread-safe.
 */
public final class Subscriber {
  private static final CompletionStage<?> SENT = CompletableFuture.completedFuture(null);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  /** A connection for messages and nothing else. */
  public interface Link {
    /**
     * Whether a command may be sent.
     *
     * @return false from its end on
     */
    boolean isOpen();

    /**
     * Sends a command without waiting for its reply.
     *
     * @param words the command and its arguments
     * @throws Exception the connection failed
     */
    void send(String... words) throws Exception;

    /**
     * Waits, without a limit, for what the server says next.
     *
     * @return a list; or the exception of a refused command; or anything else, which is ignored
     * @throws Exception the connection failed, or was closed by another thread
     */
    Object read() throws Exception;

    /** Ends the connection, also a read in progress. */
    void close();
  }

  private final Callable<? extends Link> connector;
  private final Runnable atLoss;
  private final ScheduledThreadPoolExecutor reader;
  private final ScheduledThreadPoolExecutor writer;
  private final Pulse pulse;
  private final Channels channels;
  private final Silence silence = new Silence();

  /** The writer's own. */
  private @Nullable Link link;

  /**
   * Connects when the first channel is subscribed to.
   *
   * @param name of its threads, which end in {@code -reader} and {@code -writer}
   * @param connector called by the reader, for the first connection and after each loss
   * @param atLoss called by the reader when a connection has failed or could not be made
   * @param beat from a PING to the next
   */
  public Subscriber(
      String name, Callable<? extends Link> connector, Runnable atLoss, Duration beat) {
    this.connector = connector;
    this.atLoss = atLoss;
    reader = Threads.daemons(name + "-reader", 1);
    writer = Threads.daemons(name + "-writer", 1);
    pulse = new Pulse(this::beat, beat);
    channels = new Channels(writer, this::ask, this::leave);
  }

  /**
   * As {@link io.mortise.spi.LockBackend#subscribe}.
   *
   * @param channel its name
   * @param listener of its messages
   * @return to be closed by who listens
   */
  public Subscription subscribe(String channel, ChannelListener listener) {
    return channels.subscribe(channel, listener);
  }

  /** To be told of every call of the backend: after it somebody may wait for a message. */
  public void use() {
    pulse.use();
  }

  /** UNSUBSCRIBE from all. Its reply ends the reading, and so the connection. */
  public void close() {
    channels.close();
    writer.execute(() -> send("UNSUBSCRIBE"));
  }

  /** What is not sent now is as soon as there is a connection. */
  private CompletionStage<?> ask(String channel) {
    if (reader.getQueue().isEmpty()) {
      reader.execute(this::serve);
    }
    send("SUBSCRIBE", channel);
    return SENT;
  }

  private CompletionStage<?> leave(String channel) {
    boolean sent = send("UNSUBSCRIBE", channel);
    return sent ? SENT : CompletableFuture.failedFuture(new IOException("not connected"));
  }

  /**
   * Whether there is a connection. On the writer, as everything that sends. After it beats go on,
   * to see whether it arrives.
   */
  private boolean send(String... words) {
    if (!words[0].equals("PING")) {
      use();
    }
    if (link == null || !link.isOpen()) {
      return false;
    }
    write(link, words);
    return true;
  }

  private static void write(Link link, String... words) {
    try {
      link.send(words);
    } catch (Exception e) {
      link.close(); // the reader finds out
    }
  }

  private void beat() {
    if (reader.getActiveCount() > 0) {
      writer.execute(this::refresh);
    }
  }

  /** Asks again for channels not confirmed, and ends a connection that says nothing. */
  private void refresh() {
    channels.awaited().forEach(name -> send("SUBSCRIBE", name));
    if (link != null && silence.beat()) {
      link.close();
    }
    send("PING");
  }

  /** Reads as long as anyone listens. */
  private void serve() {
    while (!channels.isEmpty()) {
      try {
        read(connector.call());
      } catch (Exception e) {
        atLoss.run();
        channels.interrupted(e);
        LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(PAUSE, 10 * PAUSE));
      }
    }
  }

  private void read(Link next) throws Exception {
    writer.execute(() -> begin(next));
    try {
      while (!channels.isEmpty()) {
        hear(next.read());
        silence.end();
      }
    } finally {
      writer.execute(next::close);
    }
  }

  private void begin(Link next) {
    link = next;
    silence.end();
    channels.connected();
    refresh();
  }

  private void hear(Object said) {
    if (said instanceof List<?> news) {
      channels.hear(news);
    } else if (said instanceof Exception refusal) {
      // It names no channel: those confirmed meanwhile will say so.
      channels.awaited().forEach(name -> channels.refused(name, refusal));
    }
  }
}
