package io.mortise.backend.vertx;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.ServerError;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All calls, over one connection. A call that finds none waits in a line, until the next attempt to
 * connect has succeeded or failed. All methods run on the event loop.
 */
final class Calls implements Link.User {
  /** The least time between two reconnects to a server that is a replica. */
  private static final long REST = TimeUnit.SECONDS.toNanos(5);

  private final Link link;
  private final Runnable follow;
  private final Deque<PendingCall> line = new ArrayDeque<>();

  /** Those that were sent and have no reply. */
  private final Set<PendingCall> out = new HashSet<>();

  private @Nullable RedisConnection connection;

  private boolean closed;

  /** Whether the server has said that it is a replica, since the last beat that noticed it. */
  private boolean demoted;

  /**
   * Whether a replica was met. From then on messages follow each connection on which a call works:
   * that may be the first to the next master, and their own would stay at the replica.
   */
  private boolean metReplica;

  /** Whether the connection has neither an answer yet nor a refusal of a replica. */
  private boolean fresh;

  private long reconnectedAt = System.nanoTime() - REST;

  /**
   * Without a connection at first.
   *
   * @param follow runs when a call has worked on a connection that messages should follow
   */
  Calls(
      Loop loop,
      Connector connector,
      ChangingCredentials.@Nullable User credentials,
      Runnable follow) {
    this.follow = follow;
    link = new Link(loop, connector, credentials, this);
  }

  Link link() {
    return link;
  }

  @Override
  public void up(RedisConnection made) {
    connection = made;
    fresh = true;
    sendAll();
  }

  @Override
  public void down(Throwable cause) {
    connection = null;
    List<PendingCall> waiting = List.copyOf(line);
    line.clear();
    waiting.forEach(call -> call.fail(cause));
  }

  void add(List<PendingCall> calls) {
    line.addAll(calls);
    if (closed) {
      down(new IOException("the backend is closed"));
    } else {
      sendAll();
    }
  }

  /** Vert.x takes some thousand commands at a time. The rest waits for the replies. */
  private void sendAll() {
    link.renew(); // before calls take all places
    while (connection != null && !line.isEmpty() && !connection.pendingQueueFull()) {
      send(connection, line.remove());
    }
  }

  private void send(RedisConnection on, PendingCall call) {
    if (call.sending()) {
      out.add(call);
      Request request = Request.cmd(call.isByText() ? Command.EVAL : Command.EVALSHA);
      call.arguments(request, Request::arg);
      Future<@Nullable Response> unused =
          on.send(request).onComplete(reply -> answered(on, call, reply), e -> failed(on, call, e));
    }
  }

  private void answered(RedisConnection on, PendingCall call, @Nullable Response reply) {
    out.remove(call);
    link.alive();
    if (fresh && on.equals(connection)) {
      fresh = false;
      if (metReplica) {
        follow.run();
      }
    }
    try {
      call.answer(Objects.requireNonNullElse(Replies.value(reply), List.of()));
    } catch (RuntimeException e) { // no kind of reply that a script has
      call.fail(e);
    }
    sendAll();
  }

  private void failed(RedisConnection on, PendingCall call, Throwable failure) {
    out.remove(call);
    String error = Replies.error(failure);
    if (error == null) {
      call.fail(failure);
      if (on.equals(connection)) { // or else its reply could go to the next call
        link.reconnect("a call got no reply");
      }
      return;
    }
    link.alive();
    if (call.again(error)) {
      line.addFirst(call);
    } else {
      call.refuse(failure);
      if (ServerError.isOfReplica(error)) {
        demoted = true;
        metReplica = true;
        fresh = false;
      }
    }
    sendAll();
  }

  void beat() {
    line.removeIf(PendingCall::isDone);
    link.beat();
    long now = System.nanoTime();
    if (demoted && now - reconnectedAt >= REST) {
      demoted = false;
      reconnectedAt = now;
      link.reconnect("the server is a replica now");
    }
  }

  Future<Void> close() {
    closed = true;
    IOException cause = new IOException("the backend was closed");
    List<PendingCall> sent = List.copyOf(out);
    out.clear();
    down(cause);
    sent.forEach(call -> call.fail(cause));
    return link.close();
  }
}
