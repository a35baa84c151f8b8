package io.mortise.backend.lettuce;

import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.AsyncCloseable;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.backend.support.Channels;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Pulse;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs scripts on one Redis server through Lettuce: one connection for all calls, one for all
 * channels. Futures complete, and channel listeners are called, on Lettuce's I/O threads. {@link
 * #execute} on the thread that would have to read its reply is refused.
 *
 * <p>While calls are made, and for some seconds after, both connections are asked by {@code PING}
 * every two seconds. One that has not answered when the next is due is broken, and Lettuce connects
 * anew: so a link whose peer is silently gone is found within four seconds.
 */
public final class LettuceBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(2);
  private static final Logger LOG = LoggerFactory.getLogger(LettuceBackend.class);

  private final BackendInfo info;
  private final StatefulRedisConnection<String, String> calls;
  private final List<StatefulRedisConnection<String, String>> both;
  private final Channels channels;
  private final Pulse pulse;
  private final Runnable atEnd;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Connections whose last PING is unanswered; a client's own time limit is no answer. */
  private final Set<StatefulRedisConnection<?, ?>> silent = ConcurrentHashMap.newKeySet();

  /** The thread that writes commands and reads their replies. */
  volatile @Nullable Thread ioThread;

  /** Watches by the given beat; {@code atEnd} runs when the connections were told to close. */
  LettuceBackend(
      StatefulRedisConnection<String, String> calls,
      StatefulRedisPubSubConnection<String, String> messages,
      BackendInfo info,
      Duration beat,
      Runnable atEnd) {
    this.info = info;
    this.calls = calls;
    both = List.of(calls, messages);
    this.atEnd = atEnd;
    // Calls have deadlines of their own; a timer of the client's for each would be one too many.
    both.forEach(each -> each.setTimeout(Duration.ZERO));
    channels = new Messages(messages).channels;
    pulse = new Pulse(this::beat, beat);
  }

  /**
   * Uses the caller's client. The backend opens two connections and closes them in {@link #close};
   * the client stays the caller's.
   *
   * <p>The client must reject commands while it is disconnected: otherwise it keeps them and runs
   * them after a reconnect, when their callers have long given up, and runs one in flight twice. It
   * must reconnect by itself; how soon it does so after an outage is its reconnect delay, by
   * default up to 30 seconds.
   *
   * @param client one whose options set {@code DisconnectedBehavior.REJECT_COMMANDS}
   * @param uri the server; its timeout is the time to connect within
   * @return an open backend
   * @throws IllegalArgumentException the client's options or the URI do not fit
   * @throws BackendException the server cannot be reached or is refused; nothing is left open
   */
  public static LettuceBackend of(RedisClient client, RedisURI uri) {
    boolean rejects = client.getOptions().isRejectCommandsWhileDisconnected();
    if (!rejects || !client.getOptions().isAutoReconnect()) {
      throw new IllegalArgumentException(
          "the client must reconnect, and reject commands until it has; set its ClientOptions:"
              + " autoReconnect(true).disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)");
    }
    if (!uri.getSentinels().isEmpty()) {
      throw new IllegalArgumentException("Redis Sentinel is not supported yet; name the master");
    }
    return LettuceBackendProvider.connect(client, RedisURI.builder(uri).build(), BEAT, () -> {});
  }

  private void beat() {
    if (!closed.get()) {
      both.forEach(this::ping);
      if (channels.askAgain()) {
        pulse.use();
      }
    }
  }

  /** Breaks the connection if the last PING is unanswered, and sends the next. */
  private void ping(StatefulRedisConnection<String, String> connection) {
    if (!silent.add(connection)) {
      LOG.warn("{}: no answer to PING, connecting anew", info.endpoint());
      var writer = ((RedisChannelHandler<?, ?>) connection).getChannelWriter();
      var channel = writer instanceof Delegating<?> wrapper ? wrapper.unwrap() : writer;
      ((DefaultEndpoint) channel).disconnect();
    }
    var ping = connection.async().ping();
    ping.whenComplete((pong, e) -> {
      if (!(e instanceof RedisCommandTimeoutException)) {
        silent.remove(connection);
      }
    });
  }

  private Call send(ScriptCall call) {
    return send(new Call(this, call, CommandType.EVALSHA));
  }

  Call send(Call call) {
    pulse.use();
    calls.dispatch(call);
    return call;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    if (Thread.currentThread().equals(ioThread)) {
      String message = this + ": execute would wait for its own thread; use executeAsync";
      throw new BackendException(Outcome.NOT_EXECUTED, message, null);
    }
    return PendingCall.await(send(call), call.timeout());
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return send(call).orTimeout(call.timeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    pulse.use();
    return channels.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  /** Waits for the end of the connections, but not for long: it may be called on their thread. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      channels.close();
      var ends = both.stream().map(AsyncCloseable::closeAsync).toArray(CompletableFuture<?>[]::new);
      atEnd.run();
      CompletableFuture.allOf(ends).completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
    }
  }

  @Override
  public String toString() {
    return "LettuceBackend[" + info.endpoint() + (closed.get() ? ", closed]" : "]");
  }
}
