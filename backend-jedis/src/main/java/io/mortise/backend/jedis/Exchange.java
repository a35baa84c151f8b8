package io.mortise.backend.jedis;

import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Subscriber;
import io.mortise.spi.ReplicaAcks;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Sends calls over a connection that nothing else uses meanwhile, and reads the replies, on the
 * thread that calls it. Thread-safe.
 */
final class Exchange {
  /** The most calls that are sent before their replies are read. */
  private static final int MOST_AT_ONCE = 500;

  private final Links links;
  private final BiConsumer<CommandArguments, String> addition;
  private final Subscriber subscriber;

  /**
   * @param addition adds a word to a command
   * @param subscriber hears of calls that worked, and of those that a replica has refused
   */
  Exchange(Links links, BiConsumer<CommandArguments, String> addition, Subscriber subscriber) {
    this.links = links;
    this.addition = addition;
    this.subscriber = subscriber;
  }

  /** Runs the calls over a borrowed connection, and gives it back. */
  void run(Connection connection, List<Attempt> batch) {
    try {
      int before = connection.getSoTimeout();
      for (int from = 0; from < batch.size(); from += MOST_AT_ONCE) {
        List<Attempt> some = part(batch, from);
        boolean again = true;
        while (again) {
          again = sendAndRead(connection, some);
        }
      }
      Links.limit(connection, before);
      if (haveMetReplica(batch)) {
        subscriber.metReplica();
        throw new JedisConnectionException("the server is a replica now");
      }
      if (hasWorked(batch)) {
        subscriber.worked();
      }
      connection.close();
    } catch (RuntimeException | Error e) {
      links.lose(connection, e, batch);
      throw e;
    } finally {
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).finish(); // after the return: a caller's next call finds it
      }
    }
  }

  /** What is sent at once. Most batches are one call, and it makes nothing for them. */
  private static List<Attempt> part(List<Attempt> batch, int from) {
    int to = Math.min(batch.size(), from + MOST_AT_ONCE);
    return from == 0 && to == batch.size() ? batch : batch.subList(from, to);
  }

  /**
   * Whether a replica has refused a call. Not a stream, and without an iterator, because every call
   * comes here.
   */
  private static boolean haveMetReplica(List<Attempt> batch) {
    boolean met = false;
    for (int i = 0; i < batch.size(); i++) {
      met |= batch.get(i).metReplica();
    }
    return met;
  }

  private static boolean hasWorked(List<Attempt> batch) {
    boolean has = false;
    for (int i = 0; i < batch.size() && !has; i++) {
      has = batch.get(i).hasWorked();
    }
    return has;
  }

  /** Sends all calls and reads their replies. Returns whether to send some of them again. */
  private boolean sendAndRead(Connection connection, List<Attempt> batch) {
    links.requireOpen();
    int millis = Math.max(1, PendingCall.millisLeft(batch));
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    Links.limit(connection, millis);
    boolean renews = connection instanceof RenewedConnection old && old.sendAuth();
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).send(connection, addition);
    }
    boolean counts = sendWait(connection, batch);
    connection.getMany(0); // flushes now, so that close() has nothing to flush
    try {
      links.reads(connection);
      if (renews) {
        ((RenewedConnection) connection).readAuth();
      }
      boolean again = first(batch.get(0), connection, start);
      for (int i = 1; i < batch.size(); i++) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        Links.limit(connection, (int) Math.max(1, left));
        again |= batch.get(i).take(connection);
      }
      if (counts) {
        Links.limit(
            connection, (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        Object count = count(connection);
        batch.forEach(call -> call.counted(count));
      }
      return again;
    } finally {
      links.readsNoMore(connection);
    }
  }

  /** Takes the first reply, which shows how far the server is. Its lack shows that, too. */
  private boolean first(Attempt call, Connection connection, long start) {
    try {
      return call.take(connection);
    } finally {
      if (call.isSent()) {
        links.roundTrip.took(System.nanoTime() - start);
      }
    }
  }

  /**
   * Sends one WAIT behind calls that wait for replicas. It counts the replicas that have all that
   * this connection wrote. Returns whether it was sent.
   */
  private static boolean sendWait(Connection connection, List<Attempt> batch) {
    int replicas = 0;
    long millis = 0;
    for (int i = 0; i < batch.size(); i++) {
      Attempt call = batch.get(i);
      ReplicaAcks acks = call.acks();
      if (acks != null && call.waitsForReplicas()) {
        replicas = Math.max(replicas, acks.replicas());
        millis = Math.max(millis, acks.timeout().toMillis());
      }
    }
    if (replicas > 0) {
      connection.sendCommand(Command.WAIT, Integer.toString(replicas), Long.toString(millis));
    }
    return replicas > 0;
  }

  /** Reads the reply to WAIT: a number, or the server's error. */
  private static Object count(Connection connection) {
    try {
      return connection.getUnflushedObject();
    } catch (JedisDataException e) {
      return e;
    }
  }
}
