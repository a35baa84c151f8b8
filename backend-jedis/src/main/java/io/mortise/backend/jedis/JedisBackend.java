package io.mortise.backend.jedis;

import io.mortise.backend.support.Combiner;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Recent;
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
 * Runs scripts on one Redis server through a Jedis client.
 *
 * <p>{@link #execute} works on the caller's thread, and when all connections of the pool are in
 * use, on that of another caller, which sends the calls of several along with its own. There are
 * two exceptions, in which a thread of the backend works while the caller waits: when the pool
 * would make a connection, since Jedis knows no deadline for that, and when the caller is a virtual
 * thread, whose interrupt would close the socket. A call's deadline covers the wait for a pooled
 * connection, connecting and the wait for bytes of the reply. It does not cover the writing of
 * hundreds of kilobytes, nor a pool that is set to test its connections when it lends them.
 *
 * <p>Messages come over one connection of their own, made with the client's settings and not
 * counted by its pool. When the server closes that one or another, the pool's idle connections are
 * closed as well, since a script sent to a dead connection has an unknown outcome.
 */
public final class JedisBackend implements LockBackend {
  static final Duration BEAT = Duration.ofSeconds(1);

  private final ConnectionPool pool;
  private final Combiner<Attempt> callers;
  private final Runnable end;
  private final Executor workers = Threads.daemons("mortise-jedis-worker", 8);

  /**
   * Give broken connections back, and close idle ones. The workers may all be waiting for what
   * these free.
   */
  private final Executor menders = Threads.daemons("mortise-jedis-mender", 8);

  /** The bytes of words. */
  private final Recent<Rawable> words = new Recent<>(RawableFactory::from);

  /** Those close() may cut. Not one that is being sent on: Jedis would connect it anew. */
  private final Set<Connection> reading = ConcurrentHashMap.newKeySet();

  private final Subscriber subscriber;
  private final BackendInfo info;
  private volatile boolean closed;

  JedisBackend(ConnectionPool pool, @Nullable String endpoint, Duration beat, Runnable end) {
    this.pool = pool;
    callers = new Combiner<>(pool::getMaxTotal, this::run);
    this.end = end;
    // What ends the connection for messages may have ended those in the pool.
    Runnable atLoss = () -> withinMillis(1_000, pool::clear);
    subscriber = new Subscriber("mortise-jedis", () -> new MessageLink(connect()), atLoss, beat);
    info = greet(endpoint);
  }

  /**
   * Uses the pool of the caller's client, which stays the caller's: {@link #close} does not close
   * it. Every call takes a connection of the pool for one round trip.
   *
   * @param pool of a client of one server
   * @return an open backend
   * @throws BackendException the server cannot be reached, or is refused; or this Jedis is older
   *     than the supported ones
   */
  public static JedisBackend of(ConnectionPool pool) {
    return JedisBackendProvider.CLIENT.open(() -> new JedisBackend(pool, null, BEAT, () -> {}));
  }

  /**
   * Uses the pool of the caller's client, as {@link #of(ConnectionPool)} does. The client's key
   * prefix is not applied, and its command executor not used: that might send a script twice.
   *
   * @param client a {@code RedisClient}, or until Jedis 7 a {@code JedisPooled}
   * @return an open backend
   * @throws IllegalArgumentException the client is another one: clusters, sentinels and multiple
   *     databases are not supported yet, and from a client that hides its pool no deadline can be
   *     had
   * @throws BackendException as {@link #of(ConnectionPool)}
   */
  public static JedisBackend of(UnifiedJedis client) {
    try {
      // No class has this method in all versions of Jedis.
      return of((ConnectionPool) client.getClass().getMethod("getPool").invoke(client));
    } catch (ReflectiveOperationException | ClassCastException e) {
      String message =
          "%s is not supported yet: only RedisClient or JedisPooled, of one server and with a pool"
              .formatted(client.getClass().getName());
      throw new IllegalArgumentException(message, e);
    }
  }

  /** A connection that the pool does not know. */
  private Connection connect() throws Exception {
    return pool.getFactory().makeObject().getObject();
  }

  /** Facts about a server to work with, by its reply to HELLO. */
  private BackendInfo greet(@Nullable String given) {
    String endpoint = given == null ? "the given Jedis client" : given;
    try (Connection connection = connect()) {
      // The innermost of Connection{DefaultJedisSocketFactory{host:port}}.
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

  /** Whether who borrows now might have to connect. Who finds all lent waits, and never does. */
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

  /** Hands over to a thread of the backend; each call ends when its time is over. */
  private void dispatch(List<Attempt> batch) {
    batch.forEach(Attempt::limit);
    workers.execute(() -> run(batch));
  }

  /** Ends every call of the batch, or lets a thread of the backend do so. */
  private void run(List<Attempt> batch) {
    int millis = PendingCall.millisLeft(batch);
    if (millis == 0) {
      return; // given up while they were queued
    }
    try {
      requireOpen();
      Connection connection = pool.borrowObject(Duration.ofMillis(millis));
      connection.setHandlingPool(pool);
      use(connection, batch);
    } catch (InterruptedException e) {
      dispatch(batch); // another took the idle connection, and a worker is not interrupted
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
        // The server has closed this one, and perhaps all.
        withinMillis(PendingCall.millisLeft(batch), pool::clear);
      }
      // The pool may connect another at once for those who wait, which takes its time.
      menders.execute(connection::close);
      throw e;
    } finally {
      batch.forEach(Attempt::finish); // when the connection is back for who then makes the next
    }
  }

  /**
   * Ends a connection that has failed. Jedis tries to send what is still in its buffer: nothing, or
   * calls that count as sent, on a connection that could not send them. Java reads once more from a
   * socket with TLS before it closes it, and waits for that as long as for a reply.
   */
  private static void disconnect(Connection connection) {
    connection.setBroken();
    try {
      connection.setSoTimeout(1);
      connection.disconnect();
    } catch (RuntimeException e) {
      // It is closed all the same, and whoever reads from it is told.
    }
  }

  /** Closes idle connections, one after the other; with TLS each may wait for the server. */
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

  /** Sends all and reads the replies; whether some are to be sent again. */
  private boolean exchange(Connection connection, List<Attempt> batch) {
    requireOpen();
    int millis = Math.max(1, PendingCall.millisLeft(batch));
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    limit(connection, millis);
    for (Attempt call : batch) {
      call.send(connection, words);
    }
    connection.getMany(0); // flushes, so that close() has nothing to flush
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

  /** Waits for the end of idle connections, but not for long. */
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
