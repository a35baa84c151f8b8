package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.GenericMapOutput;
import io.lettuce.core.protocol.CommandType;
import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.Channels;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Threads;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on one Redis server through Lettuce, with one connection for all calls and one for
 * all channels. Thread-safe. Futures complete, and channel listeners are called, on Lettuce's I/O
 * threads. {@link #execute} refuses to run on the thread that would have to read its reply.
 *
 * <p>While calls are made, and for some seconds after, the backend sends a {@code PING} over both
 * connections every second. If a connection brings no data for three seconds, the backend closes it
 * and Lettuce reconnects. So the silent end of a peer is found within four seconds.
 */
public final class LettuceBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  private final OwnClient client;
  private final BackendInfo info;
  private final StatefulRedisConnection<String, String> calls;
  private final List<StatefulRedisConnection<String, String>> both;
  private final Channels channels;
  private final ActivityTimer pulse;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The thread that writes commands and reads their replies. */
  volatile @Nullable Thread ioThread;

  /**
   * Connects with a client that belongs to the backend. The backend checks its links at each tick.
   */
  LettuceBackend(OwnClient client, RedisURI uri, Duration beat) {
    this.client = client;
    calls = client.redis.connectAsync(StringCodec.UTF8, uri).toCompletableFuture().join();
    var hello = calls.async().dispatch(CommandType.HELLO, new GenericMapOutput<>(StringCodec.UTF8));
    long time = uri.getTimeout().toNanos();
    var facts = hello.toCompletableFuture().orTimeout(time, TimeUnit.NANOSECONDS).join();
    info = RedisServers.usable(LettuceBackendProvider.endpoint(uri), facts);
    var messages = client.redis.connectPubSubAsync(StringCodec.UTF8, uri).toCompletableFuture();
    both = List.of(calls, messages.join());
    channels = new Messages(messages.join()).channels;
    pulse = new ActivityTimer(this::beat, beat);
  }

  /**
   * Uses the settings of the caller's client: its {@link RedisClient#getResources resources}
   * (threads, name resolution, tracing, metrics) and its {@link RedisClient#getOptions options} at
   * this moment (TLS, protocol, socket). The backend opens two connections of its own with them. It
   * changes nothing of the client, which may have any options.
   *
   * <p>The two connections differ from the client's in four ways:
   *
   * <ul>
   *   <li>They reject commands while they are disconnected. A connection that keeps them runs them
   *       after a reconnect, long after their callers have given up.
   *   <li>They reconnect by themselves, with a constant delay of 200 ms.
   *   <li>They have no time limit for commands, because each call has its own deadline.
   *   <li>They do not follow a server's maintenance notifications.
   * </ul>
   *
   * <p>Listeners that were added to the client itself, for commands or for the state of
   * connections, receive nothing about the two connections: Lettuce gives no access to these
   * listeners.
   *
   * <p>{@link #close} closes the two connections. The client and its resources stay the caller's.
   * Close the backend before the client, because a client ends its threads when it closes.
   *
   * @param client any client of a single server; the backend uses none of its connections
   * @param uri the server, with user, password or credentials provider, TLS and database; its
   *     timeout limits connecting
   * @return an open backend
   * @throws IllegalArgumentException the URI names sentinels
   * @throws BackendException the server cannot be reached or is refused; nothing is left open
   */
  public static LettuceBackend of(RedisClient client, RedisURI uri) {
    if (!uri.getSentinels().isEmpty()) {
      throw new IllegalArgumentException("Redis Sentinel is not supported yet; name the master");
    }
    return LettuceBackendProvider.CLIENT.open(() -> {
      OwnClient own = new OwnClient(client.getResources(), client.getOptions());
      return LettuceBackendProvider.connect(own, RedisURI.builder(uri).build(), BEAT);
    });
  }

  @SuppressWarnings("FutureReturnValueIgnored") // any data counts, not this reply
  private void beat() {
    client.beat();
    both.forEach(each -> each.async().ping());
    if (channels.askAgain()) {
      pulse.use();
    }
  }

  Call send(Call call) {
    pulse.use();
    calls.dispatch(call);
    return call;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    Threads.refuseToWaitOn(ioThread, this);
    return PendingCall.await(send(new Call(this, call, CommandType.EVALSHA)), call.timeout());
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    Call sent = send(new Call(this, call, CommandType.EVALSHA));
    return sent.orTimeout(call.timeout().toNanos(), TimeUnit.NANOSECONDS);
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

  /**
   * Closes the connections. Waits at most one second for their end, because an I/O thread of these
   * connections may be the caller.
   */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      channels.close();
      client.close().completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
    }
  }

  @Override
  public String toString() {
    return "LettuceBackend[" + info.endpoint() + (closed.get() ? ", closed]" : "]");
  }
}
