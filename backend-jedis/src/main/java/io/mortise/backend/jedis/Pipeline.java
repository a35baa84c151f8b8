package io.mortise.backend.jedis;

import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Subscriber;
import io.mortise.backend.support.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Sends calls to a server that is far, all over one connection, without waiting for the replies of
 * those before. A call that had to wait for a connection would lose a round trip. Thread-safe.
 *
 * <p>A writer thread borrows the connection and sends. A reader thread reads the replies in their
 * order. So making a connection costs no call more time than it has, and a connection that is ready
 * too late serves the next calls. A call ends at its deadline by a timer. The reader goes on, and
 * throws its late reply away. It gives the connection up when no data has come for {@link
 * #SILENCE}.
 *
 * <p>Invariant: replies are read in the order in which calls were sent, because the writer alone
 * adds to the sent calls of a line, after it has written them, and the reader alone removes the
 * first, after it has read its reply. A line ends under the mutex, when no call is out and the
 * writer does not write. So no call is added to a line whose connection is back in the pool.
 */
final class Pipeline {
  /** How long a link is silent before it counts as dead, in milliseconds. */
  private static final int SILENCE = 3_000;

  /** The most calls of one write. They fit into the buffers of a socket. */
  private static final int MOST_AT_ONCE = 100;

  /** A connection while it is in use. The mutex of the pipeline guards its fields. */
  private static final class Line {
    final Connection connection;
    final Queue<Attempt> sent = new ArrayDeque<>();
    boolean writes = true;
    boolean reads;
    boolean ended;

    /** Whether the server has said that it is a replica. Only the reader uses it. */
    boolean demoted;

    Line(Connection connection) {
      this.connection = connection;
    }
  }

  private final Links links;
  private final BiConsumer<CommandArguments, String> addition;
  private final Subscriber subscriber;
  private final Queue<Attempt> waiting = new ConcurrentLinkedQueue<>();
  private final ScheduledThreadPoolExecutor writer = Threads.daemons("mortise-jedis-far-writer", 1);
  private final ScheduledThreadPoolExecutor reader = Threads.daemons(ReaderTime.READER, 1);
  private @Nullable Line current;

  /**
   * Creates a pipeline without a connection.
   *
   * @param addition adds a word to a command
   * @param subscriber hears of calls that worked, and of those that a replica has refused
   */
  Pipeline(Links links, BiConsumer<CommandArguments, String> addition, Subscriber subscriber) {
    this.links = links;
    this.addition = addition;
    this.subscriber = subscriber;
  }

  /** To be ended with the backend. */
  List<ScheduledThreadPoolExecutor> threads() {
    return List.of(writer, reader);
  }

  /** Sends calls as soon as there is a connection. Each must end at its deadline by itself. */
  void send(List<Attempt> batch) {
    waiting.addAll(batch);
    writer.execute(this::write);
  }

  private void write() {
    List<Attempt> batch = next();
    while (!batch.isEmpty()) {
      try {
        Line line = line(batch);
        if (line != null) {
          write(line, batch);
        }
      } catch (NoSuchElementException e) {
        batch.forEach(call -> call.fail(links.whyUnsent(e)));
      } catch (Exception | LinkageError e) {
        batch.forEach(call -> call.fail(e));
      }
      batch = next();
    }
  }

  /** The next calls that have not ended. */
  private List<Attempt> next() {
    List<Attempt> batch = new ArrayList<>();
    Attempt call = waiting.poll();
    while (call != null) {
      if (!call.isDone()) {
        batch.add(call);
      }
      call = batch.size() < MOST_AT_ONCE ? waiting.poll() : null;
    }
    return batch;
  }

  /** A line that the writer writes to from now on; null if all calls ended before there was one. */
  private @Nullable Line line(List<Attempt> batch) throws Exception {
    Line line = reuse();
    int millis = PendingCall.millisLeft(batch);
    while (line == null && millis > 0) {
      try {
        line = begin(renewed(links.borrow(millis), batch));
      } catch (NoSuchElementException e) {
        if (!links.mayWait(e, millis)) {
          throw e;
        }
      } catch (JedisConnectionException e) {
        if (!links.mayOpenAgain(e, PendingCall.millisLeft(batch))) {
          throw e;
        }
      }
      millis = PendingCall.millisLeft(batch);
    }
    return line;
  }

  /** A connection whose credentials are old sends the new ones first, which takes a round trip. */
  private Connection renewed(Connection connection, List<Attempt> batch) {
    if (RenewedConnection.mayRenew(connection)) {
      int before = connection.getSoTimeout();
      try {
        Links.limit(connection, Math.max(1, PendingCall.millisLeft(batch)));
        RenewedConnection.renewNow(connection);
        Links.limit(connection, before);
      } catch (RuntimeException e) {
        links.lose(connection, e, batch);
        throw e;
      }
    }
    return connection;
  }

  /** A line whose credentials are old gets no more calls. So it ends, and can be renewed. */
  private synchronized @Nullable Line reuse() {
    if (current != null && RenewedConnection.mayRenew(current.connection)) {
      current = null;
    }
    if (current != null) {
      current.writes = true;
    }
    return current;
  }

  private synchronized Line begin(Connection connection) {
    current = new Line(connection);
    return current;
  }

  private void write(Line line, List<Attempt> batch) {
    try {
      batch.forEach(call -> call.send(line.connection, addition));
      line.connection.getMany(0); // flushes
    } catch (RuntimeException | Error e) {
      leave(line); // or the next write would connect it again, while older replies are awaited
      Links.disconnect(line.connection); // the reader notices the end
      batch.forEach(call -> call.fail(e));
    }
    batch.removeIf(call -> !call.isSent());
    if (!wrote(line, batch)) {
      Links.disconnect(line.connection); // Jedis may have connected it again
      batch.forEach(call -> call.fail(new JedisConnectionException("the connection has ended")));
    }
  }

  /** Lets the reader read the replies, if it has not ended the line meanwhile. */
  private synchronized boolean wrote(Line line, List<Attempt> sent) {
    line.writes = false;
    line.sent.addAll(sent);
    if (!line.reads && !line.ended) {
      reader.execute(() -> read(line)); // which waits for this method to end
      line.reads = true;
    }
    return !line.ended;
  }

  private void read(Line line) {
    Connection connection = line.connection;
    try {
      int before = connection.getSoTimeout();
      links.reads(connection);
      Attempt call = next(line);
      while (call != null) {
        Links.limit(connection, Math.max(SILENCE, call.millisLeft()));
        hear(line, call);
        call = next(line);
      }
      links.readsNoMore(connection);
      Links.limit(connection, before);
      if (line.demoted) {
        throw new JedisConnectionException("the server is a replica now");
      }
      if (isEnded(line)) {
        connection.close();
      }
    } catch (RuntimeException | Error e) {
      end(line, e);
    }
  }

  private void hear(Line line, Attempt call) {
    boolean again = call.take(line.connection);
    heard(line);
    links.roundTrip.took(call.age());
    if (call.metReplica() && !line.demoted) {
      line.demoted = true;
      leave(line);
      subscriber.metReplica();
    } else if (call.hasWorked() && !line.demoted) {
      subscriber.worked();
    }
    call.finish();
    if (again) {
      send(List.of(call));
    }
  }

  /**
   * The call whose reply comes next. It stays among the sent calls until its reply was heard. After
   * the last one the line ends, unless the writer writes.
   */
  private synchronized @Nullable Attempt next(Line line) {
    line.reads = !line.sent.isEmpty();
    if (!line.reads && !line.writes) {
      line.ended = true;
      leave(line);
    }
    return line.sent.peek();
  }

  private synchronized void heard(Line line) {
    line.sent.remove();
  }

  private synchronized boolean isEnded(Line line) {
    return line.ended;
  }

  /** The next calls get another line. */
  private synchronized void leave(Line line) {
    current = current == line ? null : current;
  }

  private void end(Line line, Throwable failure) {
    List<Attempt> lost;
    synchronized (this) {
      line.ended = true;
      leave(line);
      lost = List.copyOf(line.sent);
    }
    links.readsNoMore(line.connection);
    links.lose(line.connection, failure, lost);
    lost.forEach(call -> call.fail(failure));
  }
}
