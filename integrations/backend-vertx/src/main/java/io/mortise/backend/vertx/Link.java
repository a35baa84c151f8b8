package io.mortise.backend.vertx;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.backend.support.Silence;
import io.mortise.backend.support.Timeouts;
import io.mortise.spi.Credentials;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is made again when it is lost: at once, and with pauses of up to a second after
 * a failure or a short life. All methods run on the event loop, and so do those of its user.
 *
 * <p>Vert.x 5.2 takes a command off its queue when a push message arrives, and later gives the
 * reply of that command to the handler of messages. So nothing here depends on which of the two a
 * reply comes to. Their order is the server's.
 */
final class Link {
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);

  private static final long SHORTEST_PAUSE_MS = 200;
  private static final long LONGEST_PAUSE_MS = 1000;

  /** The number of no timer. */
  private static final long NONE = -1;

  /** A connection that ends sooner was of no use, so the next one comes after a pause. */
  private static final long SHORT_LIFE = TimeUnit.SECONDS.toNanos(1);

  /** Gets the events of a link. */
  interface User {
    /** There is a connection now. */
    void up(RedisConnection connection);

    /** The connection is lost, or an attempt to connect has failed. */
    void down(Throwable cause);

    /** A message of the server. */
    default void heard(Response message) {}

    /** An error reply that may belong to any command that has no reply of its own. */
    default void refused(Throwable error) {}
  }

  /** A connection that was made. */
  private static final class Living {
    private final Redis client;
    private final RedisConnection connection;
    private final long since = System.nanoTime();

    /** What it has authenticated with. */
    private Answer used;

    Living(Redis client, RedisConnection connection, Answer used) {
      this.client = client;
      this.connection = connection;
      this.used = used;
    }
  }

  private final Loop loop;
  private final Connector connector;
  private final User user;
  private final ChangingCredentials.@Nullable User credentials;
  private final Silence silence = new Silence();

  /** The client that connects or is connected. Its end is the end of the connection. */
  private @Nullable Redis client;

  private @Nullable Living living;

  /** The last attempt to connect again. */
  private @Nullable CompletableFuture<RedisConnection> attempt;

  /** What the connection authenticates with at the moment. */
  private @Nullable Answer tried;

  private long pause = SHORTEST_PAUSE_MS;
  private long timer = NONE;
  private boolean closed;

  Link(Loop loop, Connector connector, ChangingCredentials.@Nullable User credentials, User user) {
    this.loop = loop;
    this.connector = connector;
    this.credentials = credentials;
    this.user = user;
  }

  /**
   * One attempt to connect, which ends in time also if the event loop stands still. It fails if no
   * thread can be made for that. So this method throws nothing.
   */
  CompletableFuture<RedisConnection> connect() {
    CompletableFuture<RedisConnection> made = new CompletableFuture<>();
    try {
      CompletableFuture<?> unused = Timeouts.fail(made, connector.attempt().toNanos());
      unused =
          connector
              .credentials()
              .whenComplete((answer, e) -> {
                if (e == null) {
                  loop.run(() -> connect(answer, made));
                } else {
                  made.completeExceptionally(e);
                }
              });
    } catch (RuntimeException | Error e) {
      made.completeExceptionally(e);
    }
    return made;
  }

  private void connect(Answer answer, CompletableFuture<RedisConnection> made) {
    if (closed) {
      made.completeExceptionally(new IOException("the backend is closed"));
    }
    if (!made.isDone()) {
      try {
        attempt(answer, made);
      } catch (RuntimeException | Error e) { // such as that of a file with a certificate
        made.completeExceptionally(e);
      }
    }
  }

  private void attempt(Answer answer, CompletableFuture<RedisConnection> made) {
    Redis next = connector.client(loop, answer.credentials());
    client = next;
    CompletableFuture<?> unused =
        made.whenComplete((opened, e) -> {
          if (e != null) {
            next.close();
          }
        });
    next.connect()
        .onComplete(
            opened -> {
              if (made.complete(opened)) {
                up(new Living(next, opened, answer));
              }
            },
            made::completeExceptionally);
  }

  private void up(Living next) {
    if (closed) {
      next.client.close();
      return;
    }
    living = next;
    tried = null;
    silence.end();
    next.connection
        .handler(reply -> heard(next, reply))
        .exceptionHandler(e -> lost(next, e))
        .endHandler(end -> lost(next, new IOException("the connection was lost")));
    user.up(next.connection);
  }

  private void lost(Living lost, Throwable cause) {
    if (lost == living && !closed) {
      living = null;
      if (System.nanoTime() - lost.since < SHORT_LIFE) {
        connectLater();
      } else {
        pause = SHORTEST_PAUSE_MS;
        connectAgain();
      }
      lost.client.close();
      user.down(cause);
    }
  }

  private void connectAgain() {
    timer = NONE;
    CompletableFuture<RedisConnection> next = connect();
    attempt = next;
    CompletableFuture<?> unused =
        next.whenComplete((made, e) -> {
          if (e != null) {
            loop.run(() -> failed(next, e));
          }
        });
  }

  private void failed(CompletableFuture<?> one, Throwable cause) {
    if (!closed && one.equals(attempt)) {
      connectLater();
      user.down(cause);
    }
  }

  private void connectLater() {
    timer = loop.vertx.setTimer(pause, id -> connectAgain());
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }

  /**
   * Gives the connection up, for another one. The server's name is looked up again. An attempt that
   * is under way may have looked it up before, so it ends too.
   */
  void reconnect(String why) {
    IOException cause = new IOException(why);
    if (living != null) {
      lost(living, cause);
    } else if (attempt != null) {
      attempt.completeExceptionally(cause);
    }
  }

  /** Notes that the peer has sent something. */
  void alive() {
    silence.end();
  }

  /**
   * Asks for a sign of life. A peer that was silent for three beats is given up. Connects if an
   * error has ended the attempts.
   */
  void beat() {
    Living now = living;
    if (now == null) {
      connectIfNothingDoes();
    } else if (silence.beat()) {
      LOG.warn("{}: no data, not even a reply to PING; reconnecting", connector.endpoint());
      reconnect("the server is silent");
    } else {
      send(now, Request.cmd(Command.PING));
    }
  }

  private void connectIfNothingDoes() {
    if (!closed && timer == NONE && (attempt == null || attempt.isDone())) {
      connectAgain();
    }
  }

  /** Authenticates again, if there are newer credentials. */
  void renew() {
    Living now = living;
    if (now == null || tried != null || credentials == null) {
      return;
    }
    Answer latest = credentials.latest();
    Credentials next = latest.credentials();
    if (now.used.number() < latest.number() && !next.password().isEmpty()) {
      tried = latest;
      Request auth = Request.cmd(Command.AUTH);
      send(now, (next.user() == null ? auth : auth.arg(next.user())).arg(next.password()));
    }
  }

  private void send(Living on, Request request) {
    Future<@Nullable Response> unused =
        on.connection
            .send(request)
            .onComplete(reply -> heard(on, reply), error -> failed(on, error));
  }

  /** A command that the server did not answer may not have been sent: Vert.x has so many places. */
  private void failed(Living on, Throwable error) {
    if (Replies.error(error) == null && on == living) {
      tried = null;
    }
    refused(on, error);
  }

  private void heard(Living from, @Nullable Response reply) {
    if (reply == null || from != living) {
      return;
    }
    if (reply instanceof Throwable error) {
      refused(from, error);
      return;
    }
    silence.end();
    Answer sent = tried;
    if (sent != null && credentials != null && isOk(reply)) {
      tried = null;
      from.used = sent;
      credentials.accepted();
    } else {
      user.heard(reply);
    }
  }

  /** On such a link only AUTH is answered so. */
  private static boolean isOk(Response reply) {
    return reply.type() == ResponseType.SIMPLE && "OK".equals(reply.toString());
  }

  private void refused(Living from, Throwable error) {
    String text = Replies.error(error);
    if (text == null || from != living) {
      return;
    }
    silence.end();
    if (tried == null || credentials == null || text.startsWith("NOPERM")) {
      user.refused(error); // no ACL forbids AUTH
      return;
    }
    tried = null;
    if (text.matches("(?s).*(not allowed while subscribed|only \\(P).*")) {
      reconnect("the older protocol forbids new credentials while it is subscribed");
    } else {
      credentials.refused(text);
    }
  }

  /** Ends the connection for good. The future ends with it. */
  Future<Void> close() {
    closed = true;
    living = null;
    loop.vertx.cancelTimer(timer);
    return client == null ? Future.succeededFuture() : client.close();
  }
}
