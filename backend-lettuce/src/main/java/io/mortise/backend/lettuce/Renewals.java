package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.spi.Credentials;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sends new credentials over the connections of one backend, after each look at their supplier. A
 * connection that Lettuce makes again asks the supplier itself. Then it may get the same
 * credentials once more, which does no harm. Thread-safe.
 */
final class Renewals implements AutoCloseable {
  private final ChangingCredentials.User user;

  /** Closes connections with subscriptions that the older protocol forbids to authenticate. */
  private final Runnable reconnect;

  private final Map<StatefulRedisConnection<String, String>, Link> links =
      new ConcurrentHashMap<>();

  /**
   * Begins the looks.
   *
   * @param server its address, for the log
   */
  Renewals(ChangingCredentials source, String server, Runnable reconnect) {
    this.reconnect = reconnect;
    user = source.join(server, this::look);
  }

  /** Asks before anything connects, so that a failure is told, unless somebody has asked before. */
  void askFirst() {
    if (user.latest().number() == 0) {
      Answer unused = user.ask();
    }
  }

  /** What a connection has that is opened from now on, or something older. */
  Answer latest() {
    return user.latest();
  }

  /**
   * @param used no newer than what the connection was opened with
   */
  void add(StatefulRedisConnection<String, String> connection, Answer used) {
    links.put(connection, new Link(connection, used));
  }

  private void look() {
    links.values().forEach(Link::renew);
  }

  @Override
  public void close() {
    user.close();
  }

  /** One connection. All fields but {@code used} are the look's. */
  private final class Link {
    private final StatefulRedisConnection<String, String> connection;
    private volatile Answer used;
    private @Nullable CompletableFuture<?> sent;

    Link(StatefulRedisConnection<String, String> connection, Answer used) {
      this.connection = connection;
      this.used = used;
    }

    void renew() {
      Answer latest = user.latest();
      boolean isOut = sent != null && !sent.isDone();
      if (latest.replaces(used) && connection.isOpen() && !isOut) {
        AsyncCommand<String, String, String> auth = auth(latest.credentials());
        sent = auth.whenComplete((ok, refusal) -> heard(latest, refusal));
        // Not by dispatch, after which Lettuce would use these for all later connections.
        Object unused = ((RedisChannelHandler<?, ?>) connection).getChannelWriter().write(auth);
      }
    }

    private void heard(Answer tried, @Nullable Throwable refusal) {
      String said = refusal == null ? "OK" : String.valueOf(refusal.getMessage());
      if (refusal == null) {
        used = tried;
        user.accepted();
      } else if (said.matches("(?s).*(not allowed while subscribed|only \\(P).*")) {
        reconnect.run();
      } else if (refusal instanceof RedisCommandExecutionException) {
        user.refused(said);
      }
    }
  }

  private static AsyncCommand<String, String, String> auth(Credentials credentials) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    if (credentials.user() != null) {
      args.add(credentials.user());
    }
    args.add(credentials.password().toCharArray());
    return new AsyncCommand<>(
        new Command<>(CommandType.AUTH, new StatusOutput<>(StringCodec.UTF8), args));
  }
}
