package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on one Redis server through Lettuce: one connection for all calls, one for all
 * channels. Futures complete, and channel listeners are called, on Lettuce's I/O threads. {@link
 * #execute} on the thread that would have to read its reply is refused.
 *
 * <p>Every two seconds both connections are asked by {@code PING}. One that has not answered when
 * the next is due is broken, and Lettuce connects anew: so a link whose peer is silently gone is
 * found within four seconds.
 */
public final class LettuceBackend implements LockBackend {
  private static final Duration BEAT = Duration.ofSeconds(2);

  private final String endpoint;
  private final StatefulRedisConnection<String, String> calls;
  private final Messages messages;
  private final List<Pulse> pulses;
  private final BackendInfo info;
  private final Supplier<CompletableFuture<?>> end;
  private final AtomicBoolean closed = new AtomicBoolean();

  private volatile TimeSource.Timer nextBeat = () -> {};

  /** The thread that writes commands and reads their replies. */
  volatile @Nullable Thread ioThread;

  /** Checks the server and starts to watch the connections. */
  LettuceBackend(
      RedisURI uri,
      StatefulRedisConnection<String, String> calls,
      StatefulRedisPubSubConnection<String, String> channels,
      Supplier<CompletableFuture<?>> end) {
    endpoint = Opening.endpoint(uri);
    this.calls = calls;
    this.end = end;
    // Calls have deadlines of their own; a timer of the client's for each would be one too many.
    calls.setTimeout(Duration.ZERO);
    channels.setTimeout(Duration.ZERO);
    messages = new Messages(channels);
    pulses = List.of(new Pulse(calls, endpoint), new Pulse(channels, endpoint));
    Script hello = new Script("HELLO", "", "");
    ScriptCall ask = new ScriptCall(hello, List.of(), List.of(), uri.getTimeout());
    info = Opening.check(endpoint, await(Call.bare(this, ask, CommandType.HELLO), ask.timeout()));
    scheduleBeat();
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
          "the client must reject commands while disconnected, and reconnect; before, call"
              + " client.setOptions(client.getOptions().mutate().autoReconnect(true)"
              + ".disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS).build())");
    }
    if (!uri.getSentinels().isEmpty()) {
      throw new IllegalArgumentException("Redis Sentinel is not supported yet; name the master");
    }
    return Opening.open(client, RedisURI.builder(uri).build(), null);
  }

  private void scheduleBeat() {
    nextBeat = time().schedule(this::beat, BEAT);
    if (closed.get()) {
      nextBeat.close();
    }
  }

  private void beat() {
    pulses.forEach(Pulse::beat);
    messages.askAgain();
    scheduleBeat();
  }

  void send(Call call) {
    calls.dispatch(call);
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return await(Call.evalsha(this, call), call.timeout());
  }

  private List<Object> await(Call call, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    if (Thread.currentThread().equals(ioThread)) {
      String message = this + ": execute would wait for its own thread; use executeAsync";
      throw new BackendException(Outcome.NOT_EXECUTED, message, null);
    }
    boolean interrupted = Thread.interrupted();
    try {
      send(call);
      while (true) {
        try {
          return call.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          call.completeExceptionally(e);
        }
      }
    } catch (ExecutionException e) {
      throw (BackendException) Objects.requireNonNull(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    Call sent = Call.evalsha(this, call);
    send(sent);
    return sent.limited();
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> all) {
    List<Call> sent = all.stream().map(call -> Call.evalsha(this, call)).toList();
    calls.dispatch(sent);
    return sent.stream().map(Call::limited).toList();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return messages.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      nextBeat.close();
      messages.close();
      CompletableFuture<?> ending = end.get();
      if (!Thread.currentThread().equals(ioThread)) {
        Opening.settle(ending);
      }
    }
  }

  @Override
  public String toString() {
    return "LettuceBackend[" + endpoint + (closed.get() ? ", closed]" : "]");
  }
}
