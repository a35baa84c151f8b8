package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.GenericMapOutput;
import io.lettuce.core.protocol.CommandType;
import io.mortise.backend.support.Channels;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Pulse;
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
 * Runs scripts on one Redis server through Lettuce: one connection for all calls, one for all
 * channels. Futures complete, and channel listeners are called, on Lettuce's I/O threads. {@link
 * #execute} on the thread that would have to read its reply is refused.
 *
 * <p>While calls are made, and for some seconds after, both connections are asked by {@code PING}
 * every second. One on which nothing at all was heard for three is broken, and Lettuce connects
 * anew: so a link whose peer is silently gone is found within four seconds.
 */
public final class LettuceBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  private final OwnClient client;
  private final BackendInfo info;
  private final StatefulRedisConnection<String, String> calls;
  private final List<StatefulRedisConnection<String, String>> both;
  private final Channels channels;
  private final Pulse pulse;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** The thread that writes commands and reads their replies. */
  volatile @Nullable Thread ioThread;

  /** Connects; the client is the backend's, which watches it by the given beat. */
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
    pulse = new Pulse(this::beat, beat);
  }

  /**
   * Uses what the caller's client has: its {@link RedisClient#getResources resources} (threads,
   * name resolution, tracing, metrics) and its {@link RedisClient#getOptions options} as they are
   * now (TLS, protocol, socket). The backend makes two connections of its own with them, and
   * changes nothing of the client, which may have any options.
   *
   * <p>The two connections differ from the client's in four things. They reject commands while they
   * are disconnected: a client that keeps them runs them after a reconnect, when their callers have
   * long given up. They reconnect by themselves, at a constant delay of 200 ms. They have no time
   * limits for commands: each call has its own. And they do not follow a server's maintenance
   * notifications.
   *
   * <p>Listeners that were added to the client itself, for commands or for the state of
   * connections, are not told of the two: Lettuce shows them to nobody. {@link #close} closes the
   * two connections; the client and its resources stay the caller's. Close the backend first: a
   * client that was closed before takes the threads with it.
   *
   * @param client any client of a single server; no connection of its own is used
   * @param uri the server, with user, password or credentials provider, TLS and database; its
   *     timeout is the time to connect within
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

  @SuppressWarnings("FutureReturnValueIgnored") // That anything is heard is what matters.
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

  /** Waits for the end of the connections, but not for long: it may be called on their thread. */
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
