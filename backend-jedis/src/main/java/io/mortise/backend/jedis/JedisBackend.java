package io.mortise.backend.jedis;

import io.mortise.backend.support.Combiner;
import io.mortise.backend.support.InternCache;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Subscriber;
import io.mortise.backend.support.Threads;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.args.RawableFactory;

/**
 * Runs scripts on one Redis server through a Jedis client. Thread-safe.
 *
 * <p>{@link #execute} works on the caller's thread. When all connections of the pool are in use, it
 * works on the thread of another caller, which sends the calls of several callers in one batch. In
 * two cases a thread of the backend works while the caller waits. First, when the pool would open a
 * connection, because Jedis has no deadline for that. Second, when the caller is a virtual thread,
 * because its interrupt would close the socket.
 *
 * <p>A call's deadline covers the wait for a pooled connection, connecting, and the wait for bytes
 * of the reply. It does not cover the writing of hundreds of kilobytes. It does not cover a pool
 * that tests its connections when it lends them.
 *
 * <p>Messages come over one separate connection. It is made with the client's settings, and the
 * pool does not count it. When the server closes that connection or another, the backend also
 * closes the pool's idle connections: a script sent to a dead connection has an unknown outcome.
 */
public final class JedisBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  private final ConnectionPool pool;
  private final Combiner<Attempt> callers;
  private final Runnable end;
  private final Executor workers = Threads.daemons("mortise-jedis-worker", 8);

  /**
   * Return broken connections to the pool, and close idle ones. The workers cannot do this: all of
   * them may be waiting for a connection that this frees.
   */
  private final Executor menders = Threads.daemons("mortise-jedis-mender", 8);

  /** The bytes of recently sent words. */
  private final InternCache<Rawable> words = new InternCache<>(RawableFactory::from);

  /**
   * The connections that {@link #close} may cut. A connection that is being written to is not among
   * them, because Jedis would connect it again.
   */
  private final Set<Connection> reading = ConcurrentHashMap.newKeySet();

  private final Subscriber subscriber;
  private final BackendInfo info;
  private volatile boolean closed;

  JedisBackend(ConnectionPool pool, @Nullable String endpoint, Duration beat, Runnable end) {
    this.pool = pool;
    callers = new Combiner<>(pool::getMaxTotal, this::run);
    this.end = end;
    // The cause of this loss may have ended the connections in the pool as well.
    Runnable atLoss = () -> withinMillis(1_000, pool::clear);
    subscriber = new Subscriber("mortise-jedis", () -> new MessageLink(connect()), atLoss, beat);
    info = greet(endpoint);
  }

  /**
   * Uses the pool of the caller's client. The pool stays the caller's: {@link #close} does not
   * close it. Every call takes one connection of the pool for one round trip.
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
   * Uses the pool of the caller's client, as {@link #of(ConnectionPool)} does. The backend does not
   * apply the client's key prefix. It does not use the client's command executor, because that
   * might send a script twice.
   *
   * @param client a {@code RedisClient}, or a {@code JedisPooled} up to Jedis 7
   * @return an open backend
   * @throws IllegalArgumentException the client is of another type: clusters, sentinels and
   *     multiple databases are not supported yet, and a client that hides its pool allows no
   *     deadline
   * @throws BackendException as for {@link #of(ConnectionPool)}
   */
  public static JedisBackend of(UnifiedJedis client) {
    try {
      // There is no class with this method that exists in all supported versions of Jedis.
      return of((ConnectionPool) client.getClass().getMethod("getPool").invoke(client));
    } catch (ReflectiveOperationException | ClassCastException e) {
      String message =
          "%s is not supported yet: only RedisClient or JedisPooled, of one server and with a pool"
              .formatted(client.getClass().getName());
      throw new IllegalArgumentException(message, e);
    }
  }

  /** Opens a connection outside the pool. */
  private Connection connect() throws Exception {
    return pool.getFactory().makeObject().getObject();
  }

  /** Checks the server by its reply to HELLO, and returns its facts. */
  private BackendInfo greet(@Nullable String given) {
    String endpoint = given == null ? "the given Jedis client" : given;
    try (Connection connection = connect()) {
      // The innermost part of Connection{DefaultJedisSocketFactory{host:port}}.
      endpoint = given == null ? connection.toString().replaceAll(".*\\{|}", "") : given;
      connection.sendCommand(Command.HELLO);
      return RedisServers.usable(
          endpoint, BuilderFactory.ENCODED_OBJECT_MAP.build(connection.getOne()));
    } catch (Exception e) {
      end.run();
      throw RedisServers.refusal(endpoint, e);
    } catch (LinkageError e) {
      end.run();
      throw e;
    }
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    Attempt attempt = new Attempt(call, info.endpoint());
    subscriber.use();
    if (mayConnect() || Threads.isVirtual()) {
      dispatch(List.of(attempt));
    } else {
      callers.run(attempt);
    }
    return PendingCall.await(attempt);
  }

  /**
   * Whether borrowing now may open a connection. When all connections are in use, the pool waits
   * for one and opens none.
   */
  private boolean mayConnect() {
    return pool.getNumIdle() == 0
        && Integer.compareUnsigned(pool.getNumActive(), pool.getMaxTotal()) < 0; // -1: no limit
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return executeAll(List.of(call)).get(0);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    List<Attempt> batch = calls.stream().map(call -> new Attempt(call, info.endpoint())).toList();
    subscriber.use();
    dispatch(batch);
    return List.copyOf(batch);
  }

  /** Gives the batch to a thread of the backend. Each call ends at its deadline. */
  private void dispatch(List<Attempt> batch) {
    batch.forEach(Attempt::limit);
    workers.execute(() -> run(batch));
  }

  /** Ends every call of the batch, or gives the batch to a thread of the backend that does. */
  private void run(List<Attempt> batch) {
    int millis = PendingCall.millisLeft(batch);
    if (millis == 0) {
      return; // all calls ended while they were queued
    }
    try {
      requireOpen();
      Connection connection = pool.borrowObject(Duration.ofMillis(millis));
      connection.setHandlingPool(pool);
      use(connection, batch);
    } catch (InterruptedException e) {
      dispatch(batch); // the idle connection is gone; workers are not interrupted
      Thread.currentThread().interrupt();
    } catch (Exception | LinkageError e) {
      batch.forEach(call -> call.fail(e));
    }
  }

  private void use(Connection connection, List<Attempt> batch) {
    try {
      int before = connection.getSoTimeout();
      boolean again = true;
      while (again) {
        again = exchange(connection, batch);
      }
      limit(connection, before);
      connection.close();
    } catch (RuntimeException | Error e) {
      disconnect(connection);
      if (!(e.getCause() instanceof SocketTimeoutException)) {
        // The server has closed this connection, and perhaps all.
        withinMillis(PendingCall.millisLeft(batch), pool::clear);
      }
      // The return may make the pool open a connection for its waiters at once, which takes time.
      menders.execute(connection::close);
      throw e;
    } finally {
      batch.forEach(Attempt::finish); // after the return: a caller's next call finds it
    }
  }

  /**
   * Ends a connection that has failed. Jedis tries to send the rest of its buffer first. The rest
   * is empty, or consists of calls that count as sent, on a connection that could not send them.
   * Java reads once more from a TLS socket before it closes it, and waits for that as long as for a
   * reply; hence the short timeout.
   */
  private static void disconnect(Connection connection) {
    connection.setBroken();
    try {
      connection.setSoTimeout(1);
      connection.disconnect();
    } catch (RuntimeException e) {
      // The socket is closed all the same, and a thread that reads from it gets an exception.
    }
  }

  /** Closes idle connections, one after the other. With TLS each may wait for the server. */
  private void withinMillis(int most, Runnable closing) {
    CompletableFuture.runAsync(closing, menders)
        .completeOnTimeout(null, most, TimeUnit.MILLISECONDS)
        .join();
  }

  private static void limit(Connection connection, int millis) {
    if (connection.getSoTimeout() != millis) {
      connection.setSoTimeout(millis);
    }
  }

  /** Sends all calls and reads their replies. Returns whether to send some of them again. */
  private boolean exchange(Connection connection, List<Attempt> batch) {
    requireOpen();
    int millis = Math.max(1, PendingCall.millisLeft(batch));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    limit(connection, millis);
    for (Attempt call : batch) {
      call.send(connection, words);
    }
    connection.getMany(0); // flushes now, so that close() has nothing to flush
    reading.add(connection);
    try {
      requireOpen();
      boolean again = batch.get(0).take(connection);
      for (Attempt call : batch.subList(1, batch.size())) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        limit(connection, (int) Math.max(1, left));
        again |= call.take(connection);
      }
      return again;
    } finally {
      reading.remove(connection);
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null);
    }
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    requireOpen();
    return subscriber.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return info;
  }

  /** Closes the backend. Waits at most one second for idle connections to close. */
  @Override
  public void close() {
    closed = true;
    reading.forEach(JedisBackend::disconnect);
    subscriber.close();
    withinMillis(1_000, end);
  }

  @Override
  public String toString() {
    return "JedisBackend[" + info.endpoint() + ", Redis " + info.serverVersion() + ']';
  }
}
