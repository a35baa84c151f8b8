package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.backend.support.Channels;

/**
 * Tells its channels what comes over the one connection for messages. Lettuce subscribes again by
 * itself after an outage, also to a channel that was left meanwhile.
 */
final class Messages extends RedisPubSubAdapter<String, String>
    implements RedisConnectionStateListener {
  final Channels channels;

  Messages(StatefulRedisPubSubConnection<String, String> connection) {
    var commands = connection.async();
    channels = new Channels(Runnable::run, commands::subscribe, commands::unsubscribe);
    connection.addListener((RedisConnectionStateListener) this);
    connection.addListener((RedisPubSubListener<String, String>) this);
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
