package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.IOUtils;

/** Sends calls over pooled connections and reads the replies; a batch goes as one pipeline. */
final class Calls {
  private final ConnectionPool pool;
  private final Executor workers;

  /** Those close() may cut. Not one that is being sent on: Jedis would connect it anew. */
  private final Set<Connection> reading = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  Calls(ConnectionPool pool, Executor workers) {
    this.pool = pool;
    this.workers = workers;
  }

  /** Whether a connection need not be made, for which no deadline can be set. */
  boolean atHand() {
    int most = pool.getMaxTotal();
    return pool.getNumIdle() > 0 || (most >= 0 && pool.getNumActive() >= most);
  }

  /** Ends every call of the batch, once the connection is back for who then makes the next. */
  void run(List<Attempt> batch) {
    if (batch.stream().allMatch(call -> call.reply.isDone())) {
      return; // given up while they were queued
    }
    Map<Attempt, Object> replies = new HashMap<>();
    try {
      use(borrow(deadline(batch)), batch, replies);
      replies.forEach(Attempt::answer);
    } catch (Exception e) {
      replies.forEach(Attempt::answer);
      batch.forEach(call -> call.fail(e));
    }
  }

  private static long deadline(List<Attempt> batch) {
    return batch.stream().mapToLong(call -> call.deadline).max().orElse(0);
  }

  /** Not ended by an interrupt, which stays set. */
  Connection borrow(long deadline) throws Exception {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        requireOpen();
        try {
          Connection connection = pool.borrowObject(Duration.ofMillis(millisUntil(deadline)));
          connection.setHandlingPool(pool);
          return connection;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** At least one: to a socket, zero is no limit. */
  private static int millisUntil(long deadline) {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
  }

  private void use(Connection connection, List<Attempt> batch, Map<Attempt, Object> replies)
      throws IOException {
    try {
      int before = connection.getSoTimeout();
      exchange(connection, batch, Command.EVALSHA, replies);
      connection.setSoTimeout(before);
      connection.close();
    } catch (RuntimeException e) {
      connection.forceDisconnect(); // without sending what is still in its buffer
      if (!(e.getCause() instanceof SocketTimeoutException)) {
        pool.clear(); // the server has closed this one, and perhaps all
      }
      // For each that it drops the pool connects another, which takes its time.
      workers.execute(() -> IOUtils.closeQuietly(connection));
      throw e;
    }
  }

  private void exchange(
      Connection connection, List<Attempt> batch, Command how, Map<Attempt, Object> replies) {
    requireOpen();
    connection.setSoTimeout(millisUntil(deadline(batch)));
    List<Attempt> sent = batch.stream().filter(call -> call.send(connection, how)).toList();
    connection.getMany(0); // flushes, so that close() has nothing to flush
    reading.add(connection);
    try {
      requireOpen();
      Iterator<Object> read = connection.getMany(sent.size()).iterator();
      sent.forEach(call -> replies.put(call, read.next()));
    } finally {
      reading.remove(connection);
    }
    requireOpen();
    List<Attempt> unknown =
        sent.stream().filter(call -> replies.get(call) instanceof JedisNoScriptException).toList();
    if (how == Command.EVALSHA && !unknown.isEmpty()) {
      unknown.forEach(Attempt::unclaim);
      replies.keySet().removeAll(unknown);
      exchange(connection, unknown, Command.EVAL, replies);
    }
  }

  void requireOpen() {
    if (closed) {
      throw new BackendException(Outcome.NOT_EXECUTED, "the backend is closed", null);
    }
  }

  void close() {
    closed = true;
    reading.forEach(Connection::disconnect);
  }
}
