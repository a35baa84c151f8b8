package io.mortise.backend.jedis;

import io.mortise.backend.support.Combiner;
import io.mortise.backend.support.InternCache;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Subscriber;
import io.mortise.backend.support.Threads;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.args.RawableFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * Runs scripts on one Redis server through a Jedis client. Thread-safe.
 *
 * <p>{@link #execute} works on the caller's thread. When all connections of the pool are in use, it
 * works on the thread of another caller, which sends the calls of several callers in one batch. In
 * three cases a thread of the backend works while the caller waits. First, when the pool would open
 * a connection, because Jedis has no deadline for that. Second, when the pool had no connection for
 * a quarter of a second. Third, when the caller is a virtual thread, because its interrupt would
 * close the socket.
 *
 * <p>If the server is far, so that few round trips use up the time of a call, calls share one
 * connection of the pool and do not wait for each other's replies. Calls that wait for replicas are
 * the exception: each has a connection alone.
 *
 * <p>A call's deadline covers the wait for a pooled connection, connecting, and the wait for bytes
 * of the reply. It does not cover the writing of hundreds of kilobytes. It does not cover a pool of
 * the application that tests its connections when it lends them.
 *
 * <p>Messages come over one separate connection, and those of sharded channels over another, while
 * there are any. Both are made with the client's settings, and the pool does not count them. When
 * the server closes one of them or another, the backend also closes the pool's idle connections: a
 * script sent to a dead connection has an unknown outcome. A pool that a URI opened looks at each
 * connection that has rested. A pool of the application must see to that itself.
 */
public final class JedisBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  /** Checks a server by its reply to HELLO, and returns its facts. */
  interface Check extends BiFunction<String, Map<String, ?>, BackendInfo> {}

  private final Links links;
  private final Combiner<Attempt> callers;
  private final Exchange exchange;
  private final Pipeline pipeline;
  private final Runnable end;
  private final ScheduledThreadPoolExecutor workers = Threads.daemons("mortise-jedis-worker", 8);

  private final Subscriber subscriber;

  /** For the channels whose slots this node of a cluster has. Unused on any other server. */
  private final Subscriber shards;

  private final BackendInfo info;

  JedisBackend(ConnectionPool pool, @Nullable String endpoint, Duration beat, Runnable end) {
    this(pool, endpoint, beat, end, RedisServers::usable);
  }

  JedisBackend(
      ConnectionPool pool, @Nullable String endpoint, Duration beat, Runnable end, Check check) {
    links = new Links(pool);
    callers = new Combiner<>(links::most, batch -> run(batch, true));
    this.end = end;
    // The cause of this loss may have ended the connections in the pool as well.
    Runnable atLoss = () -> links.clear(1_000);
    Callable<MessageLink> connector = () -> new MessageLink(links.connect());
    subscriber = new Subscriber("mortise-jedis", connector, atLoss, beat);
    shards = Subscriber.sharded("mortise-jedis-shard", connector, atLoss, beat);
    InternCache<Rawable> words = new InternCache<>(RawableFactory::from);
    BiConsumer<CommandArguments, String> addition = (command, word) -> command.add(words.of(word));
    exchange = new Exchange(links, addition, subscriber);
    pipeline = new Pipeline(links, addition, subscriber);
    info = greet(endpoint, check);
    if (pool instanceof OwnPool own) {
      own.atLook(this::renew);
    }
  }

  /** Lets connections use new credentials, if there are any. */
  private void renew() {
    subscriber.renew();
    shards.renew();
    links.renew();
  }

  /**
   * Uses the pool of the caller's client. The pool stays the caller's: {@link #close} does not
   * close it. Every call takes one connection of the pool for one round trip. The server may close
   * connections that rest, and the first call over one of them then has an unknown outcome. Let the
   * pool close them earlier, or test them when it lends them.
   *
   * @param pool the pool of a client of one server
   * @return an open backend
   * @throws BackendException the server cannot be reached, or is refused; or this Jedis is older
   *     than the supported versions
   */
  public static JedisBackend of(ConnectionPool pool) {
    return JedisBackendProvider.CLIENT.open(() -> new JedisBackend(pool, null, BEAT, () -> {}));
  }

  /**
   * Uses the pool of the caller's client, as {@link #of(ConnectionPool)} does, or the pools of a
   * cluster client. The backend does not apply the client's key prefix. It does not use the
   * client's command executor, because that might send a script twice. Of a cluster client it uses
   * the pools alone, and knows itself which node has which slot. A node that is added to the
   * cluster later can be used once the client has a pool for it.
   *
   * @param client a {@code RedisClient}, or a {@code JedisPooled} up to Jedis 7; a {@code
   *     RedisClusterClient}, or a {@code JedisCluster}
   * @return an open backend
   * @throws IllegalArgumentException the client is of another type: multiple databases are not
   *     supported, for sentinels there is {@link #ofSentinels}, and a client that hides its pool
   *     allows no deadline
   * @throws BackendException as for {@link #of(ConnectionPool)}
   */
  public static LockBackend of(UnifiedJedis client) {
    if (find(client, "getClusterNodes") instanceof Map<?, ?> pools) {
      return JedisBackendProvider.CLIENT.open(() -> JedisCluster.of(pools));
    }
    if (find(client, "getPool") instanceof ConnectionPool pool) {
      return of(pool);
    }
    throw new IllegalArgumentException(
        "%s is not supported: only RedisClient, JedisPooled, RedisClusterClient or JedisCluster, and with a pool; for sentinels see JedisBackend.ofSentinels"
            .formatted(client.getClass().getName()));
  }

  /** Null if there is no such method. No class that has it exists in all versions of Jedis. */
  private static @Nullable Object find(UnifiedJedis client, String method) {
    try {
      return client.getClass().getMethod(method).invoke(client);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /**
   * Finds the master by sentinels, with the settings of the caller's {@code RedisSentinelClient}.
   * That client itself cannot be used: it does not show its sentinels, and it goes back to an old
   * master. All connections belong to the backend.
   *
   * @param master the name by which the sentinels know the master
   * @param sentinels their addresses, at least one
   * @param servers settings for the servers with data: user, password, TLS, timeouts, database
   * @param watched settings for the sentinels, which have a user and a password of their own
   * @return an open backend
   * @throws BackendException no sentinel names the master, or it cannot be reached
   */
  public static LockBackend ofSentinels(
      String master,
      Set<HostAndPort> sentinels,
      JedisClientConfig servers,
      JedisClientConfig watched) {
    return JedisBackendProvider.CLIENT.open(
        () -> JedisSentinelNodes.connect(master, sentinels, servers, watched));
  }

  /**
   * Uses one server with the settings of the caller's client, and a pool that belongs to the
   * backend. The pool looks at connections that have rested, and closes them after a minute. If the
   * settings have a credentials provider of the caller's own, living connections authenticate again
   * when its answer has changed. It is asked for that every ten seconds.
   *
   * @param server host and port
   * @param settings user, password or provider, TLS, timeouts, database
   * @param size the most connections, without the one for messages
   * @return an open backend
   * @throws BackendException the server cannot be reached or is refused; nothing is left open
   */
  public static JedisBackend ofServer(HostAndPort server, JedisClientConfig settings, int size) {
    return JedisBackendProvider.CLIENT.open(() -> {
      ConnectionPoolConfig limits = OwnConnections.limits();
      limits.setMaxTotal(size);
      limits.setMaxIdle(size);
      try {
        OwnPool pool = OwnPool.of(server, settings, limits);
        return new JedisBackend(
            pool,
            server.toString(),
            BEAT,
            () -> {
              pool.close();
              OwnPool.end(settings);
            });
      } catch (RuntimeException | Error e) {
        OwnPool.end(settings);
        throw e;
      }
    });
  }

  /** Checks the server by its reply to HELLO, and returns its facts. */
  private BackendInfo greet(@Nullable String given, Check check) {
    String endpoint = given == null ? "the given Jedis client" : given;
    Connection connection = null;
    try {
      connection = given == null ? links.connect() : links.first();
      // The innermost part of Connection{DefaultJedisSocketFactory{host:port}}.
      endpoint = given == null ? connection.toString().replaceAll(".*\\{|}", "") : given;
      BackendInfo facts = check.apply(endpoint, Links.facts(connection, links.roundTrip::begin));
      connection.close();
      return facts;
    } catch (Exception | LinkageError e) {
      if (connection != null) {
        Links.disconnect(connection);
        connection.close();
      }
      end.run();
      if (e instanceof LinkageError error) {
        throw error;
      }
      throw RedisServers.refusal(endpoint, e);
    }
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    ReaderTime.INSTANCE.checkMayPark();
    Attempt attempt = new Attempt(call, info.endpoint(), links);
    use();
    if (links.mayConnect() || Threads.isVirtual() || attempt.mayShare()) {
      dispatch(List.of(attempt));
    } else if (call.acks() != null) {
      run(List.of(attempt), true); // alone: other callers must not wait for its replicas
    } else {
      callers.run(attempt);
    }
    return attempt.awaitReply();
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return start(new Attempt(call, info.endpoint(), links));
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    List<Attempt> batch =
        calls.stream().map(call -> new Attempt(call, info.endpoint(), links)).toList();
    use();
    dispatch(batch.stream().filter(call -> call.acks() == null).toList());
    dispatch(batch.stream().filter(call -> call.acks() != null).toList());
    return List.copyOf(batch);
  }

  /** Runs a call whose slot is on its way to this node of a cluster. */
  CompletableFuture<List<Object>> executeAsking(ScriptCall call) {
    return start(new Attempt(call, info.endpoint(), links, true));
  }

  private Attempt start(Attempt attempt) {
    use();
    dispatch(List.of(attempt));
    return attempt;
  }

  /** Notes a use, which keeps up the watch over the connections for messages. */
  void use() {
    subscriber.use();
    shards.use();
  }

  /** Sends one command that is no script. May block for longer if it has to connect. */
  List<?> ask(Duration time, String... words) throws Exception {
    String[] args = Arrays.copyOfRange(words, 1, words.length);
    Connection connection = links.borrow(time);
    int before = connection.getSoTimeout();
    try {
      Links.limit(connection, (int) Math.max(1, time.toMillis()));
      connection.sendCommand(Command.valueOf(words[0]), args);
      connection.getMany(0); // flushes, so that close() has nothing to flush
      links.reads(connection);
      Object reply = SafeEncoder.encodeObject(connection.getOne());
      return reply instanceof List<?> list ? list : List.of(reply);
    } catch (JedisDataException e) {
      throw e; // it is the reply
    } catch (RuntimeException | Error e) {
      Links.disconnect(connection);
      throw e;
    } finally {
      links.readsNoMore(connection);
      if (!connection.isBroken()) {
        Links.limit(connection, before); // also after an error of the server
      }
      links.giveBack(connection);
    }
  }

  /**
   * Gives the batch to a thread of the backend. Each call ends at its deadline. If no thread can be
   * made, the pool keeps the task all the same. A call that has failed is not sent by it.
   */
  private void dispatch(List<Attempt> batch) {
    PendingCall.limit(batch);
    if (batch.isEmpty()) {
      return;
    }
    try {
      if (batch.stream().allMatch(Attempt::mayShare)) {
        pipeline.send(batch);
      } else {
        workers.execute(() -> run(batch, false));
      }
    } catch (Error e) {
      batch.forEach(call -> call.fail(e));
    }
  }

  /**
   * Ends every call of the batch, or gives the batch to a thread of the backend that does.
   *
   * @param isCaller whether this is the thread of the first call, which it may wait for no longer
   */
  private void run(List<Attempt> batch, boolean isCaller) {
    int millis = PendingCall.millisLeft(batch);
    if (millis == 0) {
      return; // all calls ended while they were queued
    }
    try {
      exchange.run(
          isCaller
              ? links.borrowOpen(batch.get(0).millisToSend())
              : links.borrow(PendingCall.millisToSend(batch)),
          batch);
    } catch (InterruptedException e) {
      dispatch(batch); // the idle connection is gone; workers are not interrupted
      Thread.currentThread().interrupt();
    } catch (OwnConnections.NoneOpenException e) {
      dispatch(batch); // what rested in the pool had ended
    } catch (NoSuchElementException e) {
      if (links.mayWait(e, millis)) {
        dispatch(batch); // and not on this thread, where making a connection has no deadline
      } else {
        batch.forEach(call -> call.fail(links.whyUnsent(e)));
      }
    } catch (JedisConnectionException e) {
      boolean isUnsent = batch.stream().noneMatch(Attempt::isSent);
      if (isUnsent && links.mayOpenAgain(e, PendingCall.millisLeft(batch))) {
        dispatch(batch);
      } else {
        batch.forEach(call -> call.fail(e));
      }
    } catch (Exception | LinkageError e) {
      batch.forEach(call -> call.fail(e));
    }
  }

  /** Whether the pool is open. The client that it belongs to may close it. */
  boolean hasPool() {
    return links.hasPool();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    links.requireOpen();
    return subscriber.subscribe(channel, listener);
  }

  /** At a node of a cluster. It does not follow the slot to another node. */
  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    links.requireOpen();
    return (info.shardsChannels() ? shards : subscriber).subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  @Override
  public TimeSource time() {
    return ReaderTime.INSTANCE;
  }

  /**
   * Closes the backend. Waits at most a second for idle connections to close, and another one for
   * threads that are busy.
   */
  @Override
  public void close() {
    List<ScheduledThreadPoolExecutor> threads = new ArrayList<>(subscriber.close());
    threads.addAll(shards.close());
    threads.addAll(links.close(end));
    threads.addAll(pipeline.threads());
    threads.add(workers);
    Threads.end(threads);
  }

  @Override
  public String toString() {
    return "JedisBackend[" + info.endpoint() + ", Redis " + info.serverVersion() + ']';
  }
}
