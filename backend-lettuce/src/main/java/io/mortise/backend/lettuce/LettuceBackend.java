package io.mortise.backend.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.GenericMapOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.backend.support.Channels;
import io.mortise.backend.support.Opening;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Timeouts;
import io.mortise.backend.support.Waits;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts on one Redis server through Lettuce, with one connection for all calls and one for
 * all channels. Thread-safe. Futures complete, and channel listeners are called, on Lettuce's I/O
 * threads. {@link #execute} refuses to wait on a thread of the client ({@link LoopTime}).
 *
 * <p>While calls are made, and for some seconds after, the backend sends a {@code PING} over both
 * connections every second. If a connection brings no data for three seconds, the backend closes it
 * and Lettuce reconnects. So the silent end of a peer is found within four seconds.
 */
public final class LettuceBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  /** The least time between two reconnects to a server that is a replica. */
  private static final long REST = TimeUnit.SECONDS.toNanos(5);

  /** The most calls of one flush. */
  private static final int MOST_AT_ONCE = 500;

  /** Checks a server by its reply to HELLO, and returns its facts. */
  interface Check extends BiFunction<String, Map<String, ?>, BackendInfo> {}

  private final OwnClient client;
  private final BackendInfo info;
  private final StatefulRedisConnection<String, String> calls;
  private final List<StatefulRedisConnection<String, String>> links;
  private final Messages messages;
  private final ActivityTimer pulse;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the server has said that it is a replica, since the last beat that noticed it. */
  volatile boolean demoted;

  /** Only the beat uses it. */
  private long reconnectedAt = System.nanoTime() - REST;

  /** Null if the credentials do not change. */
  private final @Nullable Renewals renewals;

  /** For calls with a WAIT, which holds up every command behind it. */
  private final AckedLinks acked;

  /** For calls behind ASKING, which counts for the next command on the connection. */
  private final SideLink asking;

  /**
   * Connects with a client that belongs to the backend. The backend checks its links at each tick.
   */
  LettuceBackend(OwnClient client, RedisURI uri, Duration beat, Check check) {
    this.client = client;
    renewals = client.renewals(uri);
    if (renewals != null) {
      client.time.checkMayPark();
      renewals.askFirst();
    }
    var connecting = connect(uri);
    client.time.checkMayPark();
    calls = opened(connecting, uri);
    info = check.apply(LettuceBackendProvider.endpoint(uri), facts(uri.getTimeout().toNanos()));
    var news = opened(renewed(() -> client.redis.connectPubSubAsync(StringCodec.UTF8, uri)), uri);
    links = new CopyOnWriteArrayList<>(List.of(calls, news));
    acked = new AckedLinks(() -> connect(uri), links::add);
    asking = new SideLink(() -> connect(uri), links::add);
    messages = new Messages(news);
    pulse = new ActivityTimer(this::beat, beat);
  }

  /**
   * Waits for a connection. The client's own limits run on its I/O threads. If these do not run at
   * all, this limit ends the wait. It is longer than those of connecting and of a handshake.
   */
  private <C> C opened(CompletionStage<C> opening, RedisURI uri) {
    Duration connect = client.redis.getOptions().getSocketOptions().getConnectTimeout();
    Duration longest =
        connect.plus(uri.getTimeout().multipliedBy(2)).plus(Opening.attempt(Duration.ZERO));
    CompletableFuture<C> limited = opening.toCompletableFuture().copy();
    return Waits.join(Timeouts.fail(limited, longest.toNanos()));
  }

  private CompletionStage<StatefulRedisConnection<String, String>> connect(RedisURI uri) {
    return renewed(() -> client.redis.connectAsync(StringCodec.UTF8, uri));
  }

  /** Opens a connection that gets new credentials, if they change. */
  private <C extends StatefulRedisConnection<String, String>> CompletionStage<C> renewed(
      Supplier<? extends CompletionStage<C>> opening) {
    Renewals changes = renewals;
    if (changes == null) {
      return opening.get();
    }
    Answer before = changes.latest();
    return opening
        .get()
        .thenApply(opened -> {
          changes.add(opened, before);
          return opened;
        });
  }

  private Map<String, ?> facts(long nanos) {
    var hello = calls.async().dispatch(CommandType.HELLO, new GenericMapOutput<>(StringCodec.UTF8));
    try {
      return Waits.join(Timeouts.fail(hello.toCompletableFuture(), nanos));
    } catch (CompletionException e) {
      if (!RedisServers.isWithoutHello(e)) {
        throw e;
      }
      var text = calls.async().info().toCompletableFuture();
      return RedisServers.facts(Waits.join(Timeouts.fail(text, nanos)));
    }
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
   *   <li>They reconnect by themselves, with a constant delay of 200 ms, whatever the server
   *       answered last.
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
   * <p>If the URI names sentinels, each of them gets two connections too, and so does each new
   * master. They differ from the client's in the same ways.
   *
   * @param client any client of a single server; the backend uses none of its connections
   * @param uri the server, with user, password or credentials provider, TLS and database; or
   *     sentinels, each with its own user and password, and the name of their master; its timeout
   *     limits connecting
   * @return an open backend
   * @throws BackendException the server cannot be reached or is refused; nothing is left open
   */
  public static LockBackend of(RedisClient client, RedisURI uri) {
    if (!uri.getSentinels().isEmpty()) {
      return LettuceBackendProvider.CLIENT.open(() -> LettuceSentinelNodes.connect(client, uri));
    }
    return LettuceBackendProvider.CLIENT.open(() -> {
      RedisURI own = RedisURI.builder(uri).build();
      own.setCredentialsProvider(AskedCredentials.of(uri, client.getOptions()));
      try (SharedThreads threads = SharedThreads.of(client.getResources())) {
        return LettuceBackendProvider.explained(() ->
            LettuceBackendProvider.connect(
                threads.client(client.getOptions()), own, BEAT, RedisServers::usable));
      }
    });
  }

  /**
   * Uses the settings of the caller's cluster client, as {@link #of(RedisClient, RedisURI)} does:
   * its resources, its options, and the nodes that it has found, with their user, password and TLS.
   * The backend opens two connections of its own to each master, and knows itself which node has
   * which slot. It uses none of the client's connections.
   *
   * @param client any cluster client; it stays the caller's, and must be closed after the backend
   * @return an open backend
   * @throws BackendException the cluster cannot be reached or is refused; nothing is left open
   */
  public static LockBackend of(RedisClusterClient client) {
    return LettuceBackendProvider.CLIENT.open(() -> LettuceCluster.of(client));
  }

  private void beat() {
    client.beat();
    links.forEach(LettuceBackend::ping);
    if (messages.askAgain()) {
      pulse.use();
    }
    followName();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // any data counts, not this reply
  private static void ping(StatefulRedisConnection<String, String> link) {
    if (link instanceof StatefulRedisPubSubConnection) {
      link.async().ping();
    } else {
      link.dispatch(command(CommandType.PING));
    }
  }

  Call send(Call call) {
    pulse.use();
    if (call.asksReplicas()) {
      acked.send(List.of(call));
    } else {
      calls.dispatch(call);
    }
    return call;
  }

  /** Whether the call still waits for a connection. From now on it is never sent. */
  boolean withdraw(Call call) {
    return call.asksReplicas() && acked.withdraw(call);
  }

  /** Why a call was not sent: the reason, or that the caller has closed its client. */
  Throwable whyUnsent(Throwable reason) {
    return !closed.get() && client.isEnded() ? PendingCall.clientClosed() : reason;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    client.time.checkMayPark();
    long deadline = System.nanoTime() + call.timeout().toNanos();
    Call sent = send(new Call(this, call, CommandType.EVALSHA));
    if (call.patience() != null && sent.asksReplicas()) {
      Waits.awaitPatiently(sent, Waits.within(call.timeout(), call.patience()), sent::giveUp);
    }
    return Waits.await(sent, Duration.ofNanos(deadline - System.nanoTime()));
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return send(new Call(this, call, CommandType.EVALSHA)).inTime();
  }

  /** Sends many calls with each flush. */
  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    pulse.use();
    List<CompletableFuture<List<Object>>> replies = new ArrayList<>(calls.size());
    for (int from = 0; from < calls.size(); from += MOST_AT_ONCE) {
      List<Call> some =
          calls.subList(from, Math.min(calls.size(), from + MOST_AT_ONCE)).stream()
              .map(call -> new Call(this, call, CommandType.EVALSHA))
              .toList();
      sendAll(some);
      some.forEach(call -> replies.add(call.inTime()));
    }
    return replies;
  }

  private void sendAll(List<Call> some) {
    List<Call> plain = some.stream().filter(call -> !call.asksReplicas()).toList();
    List<Call> waiting = some.stream().filter(Call::asksReplicas).toList();
    if (!plain.isEmpty()) {
      calls.dispatch(plain);
    }
    if (!waiting.isEmpty()) {
      acked.send(waiting);
    }
  }

  /** Runs a call whose slot is on its way to this node of a cluster. */
  CompletableFuture<List<Object>> executeAsking(ScriptCall call) {
    pulse.use();
    Call eval = new Call(this, call, CommandType.EVAL);
    eval.isBehind(command(CommandType.ASKING));
    if (eval.asksReplicas()) {
      acked.send(List.of(eval));
    } else {
      asking.send(eval);
    }
    return eval.inTime();
  }

  /** Notes a use, which keeps up the watch over both connections. */
  void use() {
    pulse.use();
  }

  /** Sends one command that is no script, and waits for its reply. */
  List<?> ask(Duration time, String... words) throws Exception {
    var command = command(CommandType.valueOf(words[0]));
    Stream.of(words).skip(1).forEach(command.getArgs()::add);
    calls.dispatch(command);
    if (!Waits.awaitEnd(command, time)) {
      use(); // or else nothing would notice that the link is silent
    }
    return command.get(0, TimeUnit.NANOSECONDS);
  }

  private static LinkedCommand<List<Object>> command(CommandType type) {
    return new LinkedCommand<>(
        new Command<>(
            type, new NestedMultiOutput<>(StringCodec.UTF8), new CommandArgs<>(StringCodec.UTF8)));
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    pulse.use();
    return messages.channels.subscribe(channel, listener);
  }

  /** At a node of a cluster. It does not follow the slot to another node. */
  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    pulse.use();
    Channels home = info.shardsChannels() ? messages.shards : messages.channels;
    return home.subscribe(channel, listener);
  }

  /** The server is a replica now. Its name may lead to the next master, after a reconnect. */
  private void followName() {
    long now = System.nanoTime();
    if (demoted && now - reconnectedAt >= REST) {
      demoted = false;
      reconnectedAt = now;
      client.disconnect();
    }
  }

  @Override
  public TimeSource time() {
    return client.time;
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
      messages.channels.close();
      messages.shards.close();
      pulse.close();
      boolean unused = Waits.awaitEnd(client.close(), OwnClient.LONGEST_END);
    }
  }

  @Override
  public String toString() {
    return "LettuceBackend[" + info.endpoint() + (closed.get() ? ", closed]" : "]");
  }
}
