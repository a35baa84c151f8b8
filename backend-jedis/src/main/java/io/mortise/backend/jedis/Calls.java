package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Protocol.Command;
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

  /** Ends every call of the batch. */
  void run(List<Attempt> batch) {
    if (batch.stream().allMatch(call -> call.reply.isDone())) {
      return; // given up while they were queued
    }
    long deadline = batch.stream().mapToLong(call -> call.deadline).max().orElse(0);
    try {
      Connection connection = borrow(deadline);
      try {
        int before = connection.getSoTimeout();
        exchange(connection, batch, deadline, Command.EVALSHA);
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
    } catch (Exception e) {
      batch.forEach(call -> call.fail(e));
    }
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

  private void exchange(Connection connection, List<Attempt> batch, long deadline, Command how) {
    requireOpen();
    connection.setSoTimeout(millisUntil(deadline));
    List<Attempt> sent = batch.stream().filter(call -> call.send(connection, how)).toList();
    connection.getMany(0); // flushes, so that close() has nothing to flush
    reading.add(connection);
    List<Object> replies;
    try {
      requireOpen();
      replies = connection.getMany(sent.size());
    } finally {
      reading.remove(connection);
    }
    List<Attempt> unknown = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      if (!sent.get(i).answer(replies.get(i), how)) {
        unknown.add(sent.get(i));
      }
    }
    requireOpen();
    if (!unknown.isEmpty()) {
      exchange(connection, unknown, deadline, Command.EVAL);
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
