package io.mortise.backend.vertx;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.Channels;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** All channels, over one connection. Listeners are called on the event loop. */
final class Messages implements Link.User {
  private final Loop loop;
  private final Link link;
  private final Channels channels;
  private volatile @Nullable RedisConnection connection;

  Messages(Loop loop, Connector connector, ChangingCredentials.@Nullable User credentials) {
    this.loop = loop;
    link = new Link(loop, connector, credentials, this);
    channels =
        new Channels(
            this::inTurn,
            channel -> send(Command.SUBSCRIBE, channel),
            channel -> send(Command.UNSUBSCRIBE, channel));
  }

  Link link() {
    return link;
  }

  Channels channels() {
    return channels;
  }

  /** On the event loop, or at once if there is none any more. */
  private void inTurn(Runnable task) {
    try {
      loop.run(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** The end of the stage says that the command was written. The reply comes as a message. */
  private CompletionStage<?> send(Command command, String channel) {
    RedisConnection now = connection;
    return now == null
        ? CompletableFuture.failedFuture(new IOException("there is no connection now"))
        : now.send(Request.cmd(command).arg(channel)).toCompletionStage();
  }

  @Override
  public void up(RedisConnection made) {
    connection = made;
    channels.connected();
    boolean unused = channels.askAgain();
  }

  @Override
  public void down(Throwable cause) {
    connection = null;
    channels.interrupted(cause);
  }

  @Override
  public void heard(Response message) {
    if (Replies.value(message) instanceof List<?> news && news.size() > 1) {
      channels.hear(news);
    }
  }

  @Override
  public void refused(Throwable error) {
    channels.refused(error);
  }

  /** Returns whether a channel is not confirmed yet. */
  boolean beat() {
    link.beat();
    return connection != null && channels.askAgain();
  }
}
