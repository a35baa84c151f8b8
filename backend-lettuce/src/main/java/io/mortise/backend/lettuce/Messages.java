package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.backend.support.Channels;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.Set;

/**
 * Who listens on which channel of the one connection for messages. Lettuce subscribes again by
 * itself after an outage, also to a channel that was left meanwhile.
 */
final class Messages extends RedisPubSubAdapter<String, String>
    implements RedisConnectionStateListener {
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final Channels channels = new Channels(Runnable::run, this::ask, this::tellLeft);

  Messages(StatefulRedisPubSubConnection<String, String> connection) {
    this.connection = connection;
    connection.addListener((RedisConnectionStateListener) this);
    connection.addListener((RedisPubSubListener<String, String>) this);
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    return channels.subscribe(channel, listener);
  }

  private void ask(String channel) {
    var asked = connection.async().subscribe(channel);
    asked.exceptionally(refusal -> {
      channels.refused(channel, refusal);
      return null;
    });
  }

  private void tellLeft(String channel) {
    var told = connection.async().unsubscribe(channel);
    told.exceptionally(failure -> {
      channels.left(channel);
      return null;
    });
  }

  /** Asks again for what the server has not confirmed; whether there is any. */
  boolean askAgain() {
    Set<String> awaited = channels.awaited();
    awaited.forEach(this::ask);
    return !awaited.isEmpty();
  }

  void close() {
    channels.close();
  }

  @Override
  public void subscribed(String channel, long count) {
    channels.confirmed(channel);
  }

  @Override
  public void message(String channel, String message) {
    channels.message(channel, message);
  }

  @Override
  public void unsubscribed(String channel, long count) {
    channels.left(channel);
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    channels.interrupted(new RedisException("the connection was lost"));
  }
}
