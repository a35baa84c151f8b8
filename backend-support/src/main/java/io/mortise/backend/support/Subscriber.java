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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * All channels over one connection of a client that reads by blocking. The reader thread connects
 * and reads. The writer thread sends, so that no caller waits for a socket, and keeps the order in
 * which subscriptions come and go. While the backend is in use, the writer sends a PING at each
 * tick, and closes a connection that was silent for three ticks. Both threads end soon after the
 * last channel. Thread-safe.
 */
public final class Subscriber {
  private static final CompletionStage<?> SENT = CompletableFuture.completedFuture(null);
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long REST = TimeUnit.SECONDS.toNanos(5);

  /** A connection for messages and nothing else. */
  public interface Link {
    /**
     * Whether a command may be sent.
     *
     * @return false once the connection has ended
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
     * Waits, without a limit, for the server's next message.
     *
     * @return a list; or the exception of a refused command; or anything else, which is ignored
     * @throws Exception the connection failed, or another thread closed it
     */
    Object read() throws Exception;

    /**
     * Asks the server whether it is a replica. The reader calls this before anything else is sent,
     * and only after calls have met a replica.
     *
     * @return true if it says so
     * @throws Exception the connection failed, or did not answer in time
     */
    default boolean isOfReplica() throws Exception {
      return false;
    }

    /**
     * Lets the connection use new credentials, if there are any.
     *
     * @return false if it has to be closed for that
     * @throws Exception the connection failed
     */
    default boolean renew() throws Exception {
      return true;
    }

    /** Ends the connection, and a read in progress. */
    void close();
  }

  /** What calls know of the server that the connection leads to. */
  private enum Server {
    RIGHT,
    /** It may be a server that is a replica now. */
    REPLICA,
    /** The same, and calls may have reached the next master. */
    LEFT
  }

  private final String subscribe;
  private final String unsubscribe;
  private final Callable<? extends Link> connector;
  private final Runnable atLoss;
  private final ScheduledThreadPoolExecutor reader;
  private final ScheduledThreadPoolExecutor writer;
  private final ActivityTimer pulse;
  private final Channels channels;
  private final Silence silence = new Silence();
  private final AtomicReference<Server> server = new AtomicReference<>(Server.RIGHT);
  private final AtomicLong metAt = new AtomicLong(System.nanoTime() - REST);
  private final AtomicLong followedAt = new AtomicLong(System.nanoTime() - REST);

  /** Counts the requests to connect again. A link that was begun before the last is outdated. */
  private final AtomicInteger reconnects = new AtomicInteger();

  /** The current connection. Only the writer uses this field. */
  private @Nullable Link link;

  private volatile boolean closed;

  /**
   * Creates a subscriber. It connects when the first channel is subscribed to.
   *
   * @param name the prefix of its threads' names, which end in {@code -reader} and {@code -writer}
   * @param connector called by the reader, for the first connection and after each loss
   * @param atLoss called by the reader when a connection has failed or could not be made
   * @param beat the time from a PING to the next
   */
  public Subscriber(
      String name, Callable<? extends Link> connector, Runnable atLoss, Duration beat) {
    this("", name, connector, atLoss, beat);
  }

  /**
   * Creates a subscriber to the channels whose hash slots one node of a cluster has. A node refuses
   * the others with MOVED, and ends a subscription whose slot goes to another node. Both are gaps.
   *
   * @param name as above
   * @param connector as above
   * @param atLoss as above
   * @param beat as above
   * @return a subscriber that uses SSUBSCRIBE
   */
  public static Subscriber sharded(
      String name, Callable<? extends Link> connector, Runnable atLoss, Duration beat) {
    return new Subscriber("S", name, connector, atLoss, beat);
  }

  private Subscriber(
      String letter,
      String name,
      Callable<? extends Link> connector,
      Runnable atLoss,
      Duration beat) {
    subscribe = letter + "SUBSCRIBE";
    unsubscribe = letter + "UNSUBSCRIBE";
    this.connector = connector;
    this.atLoss = atLoss;
    reader = Threads.daemons(name + "-reader", 1);
    writer = Threads.daemons(name + "-writer", 1);
    pulse = new ActivityTimer(this::beat, beat);
    channels = new Channels(writer, this::ask, this::leave);
  }

  /**
   * Subscribes a listener; see {@link io.mortise.spi.LockBackend#subscribe}.
   *
   * @param channel the channel's name
   * @param listener receives the channel's messages
   * @return the subscription, which the caller closes
   */
  public Subscription subscribe(String channel, ChannelListener listener) {
    return channels.subscribe(channel, listener);
  }

  /**
   * Notes a call of the backend. The backend calls this for every call, because a caller may wait
   * for a message after it.
   */
  public void use() {
    if (!channels.isEmpty()) {
      pulse.use();
    }
  }

  /**
   * Notes that a replica has refused a call. The server's name may lead to the next master, now or
   * later. So this connects again at once, and again when a call has {@linkplain #worked worked}.
   * Each of the two happens at most once in five seconds.
   */
  public void metReplica() {
    server.set(Server.REPLICA);
    if (isRested(metAt)) {
      reconnect();
    }
  }

  /**
   * Notes that a call has succeeded. The backend calls this for every such call. After a replica it
   * is the first sign that the server's name leads to the next master.
   */
  public void worked() {
    if (server.get() == Server.REPLICA && server.compareAndSet(Server.REPLICA, Server.LEFT)) {
      follow();
    }
  }

  /**
   * Goes where calls have gone. A replica may answer calls that only read, so the link is asked.
   */
  private void follow() {
    if (server.get() == Server.LEFT && isRested(followedAt)) {
      server.compareAndSet(Server.LEFT, Server.RIGHT);
      reconnect();
    }
  }

  private static boolean isRested(AtomicLong at) {
    long now = System.nanoTime();
    long last = at.get();
    return now - last >= REST && at.compareAndSet(last, now);
  }

  /**
   * A connection that is just being made may have looked up the old address. It ends too. This is
   * called with the reply of a call, which must not suffer if no thread can be made.
   */
  private void reconnect() {
    reconnects.incrementAndGet();
    try {
      writer.execute(this::endLink);
    } catch (Error e) {
      // The pool keeps the task, and runs it with the next one.
    }
  }

  /** Lets the connection use new credentials, if there are any. */
  public void renew() {
    if (!channels.isEmpty()) {
      writer.execute(this::renewLink);
    }
  }

  private void renewLink() {
    try {
      if (link != null && link.isOpen() && !link.renew()) {
        link.close();
      }
    } catch (Exception e) {
      link.close(); // the reader notices the end
    }
  }

  /**
   * Ends all subscriptions and the connection. Both threads end soon, but for a connection that is
   * just being made: its owner ends that.
   *
   * @return the pools of both threads, to be {@linkplain Threads#end ended}
   */
  public List<ScheduledThreadPoolExecutor> close() {
    closed = true;
    pulse.close();
    channels.close();
    writer.execute(this::endLink);
    return List.of(reader, writer);
  }

  private void endLink() {
    if (link != null) {
      link.close(); // the reader notices the end
    }
  }

  /** Sends SUBSCRIBE. Without a connection, {@link #begin} sends it once there is one. */
  private CompletionStage<?> ask(String channel) {
    beginToRead();
    send(subscribe, channel);
    return SENT;
  }

  private void beginToRead() {
    if (reader.getQueue().isEmpty()) {
      reader.execute(this::serve);
    } else {
      reader.prestartCoreThread(); // no thread could be made for the task that is there
    }
  }

  private CompletionStage<?> leave(String channel) {
    boolean sent = send(unsubscribe, channel);
    return sent ? SENT : CompletableFuture.failedFuture(new IOException("not connected"));
  }

  /**
   * Sends a command if there is a connection, and returns whether there is one. Runs on the writer,
   * as everything that sends. Every command except PING keeps the ticks going, which show whether
   * it has arrived.
   */
  private boolean send(String... words) {
    if (!words[0].equals("PING")) {
      pulse.use();
    }
    if (link == null || !link.isOpen()) {
      return false;
    }
    try {
      link.send(words);
    } catch (Exception e) {
      link.close(); // the reader notices the end
    }
    return true;
  }

  private void beat() {
    follow();
    if (reader.getActiveCount() > 0) {
      writer.execute(this::refresh);
    } else if (!channels.isEmpty()) { // an Error has ended the reader, or it could not begin
      writer.execute(this::beginToRead);
    }
  }

  /** Asks again for unconfirmed channels, and closes a connection that is silent. */
  private void refresh() {
    channels.awaited().forEach(name -> send(subscribe, name));
    if (link != null && silence.beat()) {
      link.close();
    }
    send("PING");
  }

  /** Reads as long as there is a subscription. */
  private void serve() {
    while (!closed && !channels.isEmpty()) {
      try {
        int asOf = reconnects.get();
        read(connector.call(), asOf);
      } catch (Exception | Error e) { // an error must not end all messages
        if (closed) {
          return;
        }
        atLoss.run();
        channels.interrupted(e);
        LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(PAUSE, 10 * PAUSE));
      }
    }
  }

  private void read(Link next, int asOf) throws Exception {
    try {
      if (asOf > 0 && next.isOfReplica()) {
        server.compareAndSet(Server.RIGHT, Server.REPLICA);
      }
      writer.execute(() -> begin(next, asOf));
      while (!closed && !channels.isEmpty()) {
        hear(next.read());
        silence.end();
      }
    } finally {
      writer.execute(next::close);
    }
  }

  private void begin(Link next, int asOf) {
    if (closed || asOf != reconnects.get()) {
      next.close(); // that came while it was made
      return;
    }
    link = next;
    silence.end();
    channels.connected();
    refresh();
  }

  private void hear(Object said) {
    if (said instanceof List<?> news) {
      channels.hear(news);
    } else if (said instanceof Exception refusal) {
      channels.refused(refusal);
    }
  }
}
