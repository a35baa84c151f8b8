package io.mortise.backend.lettuce;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.RedisCommand;
import io.mortise.spi.ReplicaAcks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections for calls that wait for replicas. Until a WAIT is answered, the server reads
 * nothing else from its connection. So a connection has one WAIT at a time: it sends some calls and
 * a WAIT behind them, and is free again when that is answered.
 *
 * <p>Calls wait in a line for a free connection. It takes all of them that ask the same of
 * replicas. If none is free, one more is opened, up to {@link #MOST}. A call that is still in the
 * line at its deadline was not sent, and never is: only its way out of the line, which the monitor
 * guards, leads to a connection. Nothing is sent, and no call is completed, under the monitor.
 * Thread-safe.
 */
final class AckedLinks {
  /** The most connections: as many as a pool of Jedis has, if its size is not set. */
  static final int MOST = 8;

  private static final int MOST_AT_ONCE = 500;

  private final Supplier<CompletionStage<StatefulRedisConnection<String, String>>> opener;
  private final Consumer<StatefulRedisConnection<String, String>> opened;
  private final Deque<Call> line = new ArrayDeque<>();
  private final Deque<StatefulRedisConnection<String, String>> free = new ArrayDeque<>();

  /** How many there are, with the one that is being opened. */
  private int links;

  private boolean opening;

  AckedLinks(
      Supplier<CompletionStage<StatefulRedisConnection<String, String>>> opener,
      Consumer<StatefulRedisConnection<String, String>> opened) {
    this.opener = opener;
    this.opened = opened;
  }

  /** Sends the calls, together if they ask the same of replicas. Does not block. */
  void send(List<Call> calls) {
    synchronized (this) {
      line.addAll(calls);
    }
    serve();
  }

  /** Takes a call out of the line. Returns whether it was there, and so was not sent. */
  synchronized boolean withdraw(Call call) {
    return line.remove(call);
  }

  private void serve() {
    List<Call> batch = new ArrayList<>();
    StatefulRedisConnection<String, String> link = next(batch);
    while (link != null) {
      send(link, batch);
      batch = new ArrayList<>();
      link = next(batch);
    }
    if (mayOpen()) {
      CompletableFuture<?> unused =
          CompletableFuture.completedFuture(opener)
              .thenCompose(Supplier::get)
              .whenComplete(this::hasOpened);
    }
  }

  /** Takes calls out of the line for a free connection. Null if there is nothing to send by it. */
  private synchronized @Nullable StatefulRedisConnection<String, String> next(List<Call> batch) {
    line.removeIf(Call::isDone);
    if (line.isEmpty() || free.isEmpty()) {
      return null;
    }
    ReplicaAcks acks = line.element().acks();
    Iterator<Call> calls = line.iterator();
    while (calls.hasNext() && batch.size() < MOST_AT_ONCE) {
      Call call = calls.next();
      if (call.acks().equals(acks)) {
        batch.add(call);
        calls.remove();
      }
    }
    StatefulRedisConnection<String, String> link =
        free.stream()
            .filter(StatefulRedisConnection::isOpen)
            .findFirst()
            .orElseGet(free::element); // which refuses the calls at once
    free.remove(link);
    return link;
  }

  private void send(StatefulRedisConnection<String, String> link, List<Call> batch) {
    List<RedisCommand<String, String, ?>> commands = new ArrayList<>();
    batch.forEach(call -> call.addTo(commands));
    Wait wait = Wait.behind(batch);
    commands.add(wait);
    CompletableFuture<?> unused =
        wait.whenComplete((replicas, e) -> {
          freed(link);
          serve();
        });
    link.dispatch(commands);
  }

  private synchronized void freed(StatefulRedisConnection<String, String> link) {
    free.addFirst(link);
  }

  private synchronized boolean mayOpen() {
    boolean more = !line.isEmpty() && !opening && links < MOST;
    if (more) {
      opening = true;
      links++;
    }
    return more;
  }

  private void hasOpened(
      @Nullable StatefulRedisConnection<String, String> link, @Nullable Throwable failure) {
    if (link == null) {
      Throwable cause =
          failure == null || failure.getCause() == null
              ? new RedisException("the connection was not opened", failure)
              : failure.getCause(); // of the stage
      notOpened().forEach(call -> call.completeExceptionally(cause));
      return;
    }
    opened.accept(link);
    synchronized (this) {
      opening = false;
      free.addFirst(link);
    }
    serve();
  }

  /** The calls that no connection will take. The next call tries again to open one. */
  private synchronized List<Call> notOpened() {
    opening = false;
    links--;
    List<Call> stranded = links == 0 ? List.copyOf(line) : List.of();
    line.removeAll(stranded);
    return stranded;
  }
}
