package io.mortise.backend.jedis;

import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.Waits;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** The connections of one backend: lent by a pool, given back, and ended. Thread-safe. */
final class Links {
  /**
   * The longest wait in the pool's own queue, in milliseconds. The pool makes a connection for
   * those in its queue only when another one is returned. If that fails, for example because the
   * server is frozen, the pool forgets them. A new borrow makes the connection.
   */
  private static final int LONGEST_BORROW = 250;

  private static final Duration LONGEST_BORROW_TIME = Duration.ofMillis(LONGEST_BORROW);

  final RoundTrip roundTrip = new RoundTrip();
  private final ConnectionPool pool;

  /**
   * Return broken connections to the pool, and close idle ones. The workers cannot do this: all of
   * them may be waiting for a connection that this frees.
   */
  private final ScheduledThreadPoolExecutor menders = Threads.daemons("mortise-jedis-mender", 8);

  /**
   * The connections that {@link #close} may cut. A connection that is being written to is not among
   * them, because Jedis would connect it again. Each call comes in and goes out, and this map makes
   * nothing for that.
   */
  private final Set<Connection> reading =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  /** Whether a thread sends new credentials over the connections that rest. */
  private final AtomicBoolean renewing = new AtomicBoolean();

  private volatile boolean closed;

  Links(ConnectionPool pool) {
    this.pool = pool;
  }

  /** Opens a connection outside the pool. */
  Connection connect() throws Exception {
    return pool.getFactory().makeObject().getObject();
  }

  /**
   * What a server says about itself.
   *
   * @param took receives the time of a round trip (ns)
   */
  static Map<String, ?> facts(Connection connection, LongConsumer took) {
    try {
      long start = System.nanoTime();
      connection.sendCommand(Command.HELLO);
      Object reply = connection.getOne();
      took.accept(System.nanoTime() - start);
      return BuilderFactory.ENCODED_OBJECT_MAP.build(reply);
    } catch (JedisDataException e) {
      if (!RedisServers.isWithoutHello(e)) {
        throw e;
      }
      connection.sendCommand(Command.INFO);
      return RedisServers.facts(connection.getBulkReply());
    }
  }

  /** The first connection. It stays in the pool, unless all of the pool's are lent. */
  Connection first() throws Exception {
    return pool.getNumIdle() > 0 || mayConnect() ? borrow(LONGEST_BORROW) : connect();
  }

  /**
   * Takes a connection out of the pool. Making one has no deadline, and takes at least two round
   * trips. {@link Connection#close} gives it back.
   *
   * @param millis the longest wait while all are lent, up to {@link #LONGEST_BORROW}
   * @throws NoSuchElementException {@link #mayWait} says whether to borrow again
   */
  Connection borrow(int millis) throws Exception {
    return borrow(millis < LONGEST_BORROW ? Duration.ofMillis(millis) : LONGEST_BORROW_TIME);
  }

  /**
   * As {@link #borrow(int)}, but a pool of the backend opens no connection on this thread. It would
   * if one that rested has ended.
   *
   * @throws OwnConnections.NoneOpenException another thread has to borrow
   */
  Connection borrowOpen(int millis) throws Exception {
    OwnConnections.OPENS_NONE.set(true);
    try {
      return borrow(millis);
    } finally {
      OwnConnections.OPENS_NONE.set(null); // the next call then makes no entry
    }
  }

  Connection borrow(Duration longest) throws Exception {
    requireOpen();
    Connection connection = pool.borrowObject(longest);
    try {
      connection.setHandlingPool(pool);
    } catch (LinkageError e) { // too old a client
      pool.invalidateObject(connection);
      throw e;
    }
    return connection;
  }

  /** Whether a borrow in vain only came too early. */
  boolean mayWait(NoSuchElementException vain, int millis) {
    return millis > LONGEST_BORROW && vain.getCause() == null && pool.getBlockWhenExhausted();
  }

  /** Whether a server that was silent while a connection opened may be asked for another one. */
  boolean mayOpenAgain(JedisConnectionException vain, int millis) {
    return !closed && millis > LONGEST_BORROW && vain.getCause() instanceof SocketTimeoutException;
  }

  /**
   * Whether borrowing now may open a connection. When all connections are in use, the pool waits
   * for one and opens none.
   */
  boolean mayConnect() {
    return pool.getNumIdle() == 0 && !isExhausted();
  }

  private boolean isExhausted() {
    return Integer.compareUnsigned(pool.getNumActive(), pool.getMaxTotal()) >= 0; // -1: no limit
  }

  /** Why a call was not sent: the reason, that the client is closed, or that all is lent. */
  Throwable whyUnsent(Throwable reason) {
    if (!closed && pool.isClosed()) {
      return PendingCall.clientClosed();
    }
    return isExhausted()
        ? new NoSuchElementException(
            "no connection was free: %d of %d of the pool are in use; make the pool larger, or return its connections earlier"
                .formatted(pool.getNumActive(), pool.getMaxTotal()))
        : reason;
  }

  int most() {
    return pool.getMaxTotal();
  }

  /** Whether the pool is open. The client that it belongs to may close it. */
  boolean hasPool() {
    return !pool.isClosed();
  }

  void requireOpen() {
    if (closed) {
      throw new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null);
    }
  }

  /** From now on {@link #close} may cut the connection. */
  void reads(Connection connection) {
    reading.add(connection);
    requireOpen();
  }

  void readsNoMore(Connection connection) {
    reading.remove(connection);
  }

  /**
   * Ends a connection that has failed, and gives it back. The return may make the pool open another
   * one at once, so a thread of the backend does it. If the backend is closed, the calling thread
   * may have to, so the calls end first.
   *
   * @param calls those that were sent over the connection. The wait for others to close is no
   *     longer than they last
   */
  void lose(Connection connection, Throwable failure, List<Attempt> calls) {
    disconnect(connection);
    if (closed) {
      calls.forEach(call -> {
        call.finish(); // if it has its reply
        call.fail(failure);
      });
    } else if (!(failure.getCause() instanceof SocketTimeoutException)) {
      clear(PendingCall.millisLeft(calls)); // the server has closed this one, and perhaps all
    }
    menders.execute(connection::close);
  }

  /** Gives back a connection that may be broken. A good one begins its rest at once. */
  void giveBack(Connection connection) {
    if (connection.isBroken()) {
      menders.execute(connection::close);
    } else {
      connection.close();
    }
  }

  /**
   * Sends new credentials over the connections that rest, if there are any. Those that are lent
   * send theirs before their next calls.
   */
  void renew() {
    if (pool instanceof OwnPool own && !closed && !renewing.getAndSet(true)) {
      menders.execute(() -> {
        try {
          own.renew();
        } finally {
          renewing.set(false);
        }
      });
    }
  }

  /** Closes what rests in the pool. */
  void clear(int millis) {
    withinMillis(millis, pool::clear);
  }

  /** Ends every connection that is being read, and then the pool. Returns threads to be ended. */
  List<ScheduledThreadPoolExecutor> close(Runnable end) {
    closed = true;
    for (Object each : reading.toArray()) {
      disconnect((Connection) each);
    }
    withinMillis(1_000, end);
    return List.of(menders);
  }

  /** Closes idle connections, one after the other. With TLS each may wait for the server. */
  private void withinMillis(int most, Runnable closing) {
    CompletableFuture<Void> closed = CompletableFuture.runAsync(closing, menders);
    boolean unused = Waits.awaitEnd(closed, Duration.ofMillis(most));
  }

  /**
   * Ends a connection that has failed. Jedis tries to send the rest of its buffer first. The rest
   * is empty, or consists of calls that count as sent, on a connection that could not send them.
   * Java reads once more from a TLS socket before it closes it, and waits for that as long as for a
   * reply; hence the short timeout.
   */
  static void disconnect(Connection connection) {
    connection.setBroken();
    try {
      connection.setSoTimeout(1);
      connection.disconnect();
    } catch (RuntimeException e) {
      // The socket is closed all the same, and a thread that reads from it gets an exception.
    }
  }

  static void limit(Connection connection, int millis) {
    if (connection.getSoTimeout() != millis) {
      connection.setSoTimeout(millis);
    }
  }
}
