package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.backend.support.Channels;

/**
 * Reports the events of the message connection to its channels. After an outage Lettuce subscribes
 * again by itself, even to a channel that was left meanwhile.
 */
final class Messages extends RedisPubSubAdapter<String, String>
    implements RedisConnectionStateListener {
  final Channels channels;

  /** Those whose slots this node of a cluster has. */
  final Channels shards;

  Messages(StatefulRedisPubSubConnection<String, String> connection) {
    var commands = connection.async();
    channels = new Channels(Runnable::run, commands::subscribe, commands::unsubscribe);
    shards = new Channels(Runnable::run, commands::ssubscribe, commands::sunsubscribe);
    connection.addListener((RedisConnectionStateListener) this);
    connection.addListener((RedisPubSubListener<String, String>) this);
  }

  /** Asks again for all channels that are not confirmed. Returns whether there are any. */
  boolean askAgain() {
    boolean asked = channels.askAgain();
    return shards.askAgain() || asked;
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
  public void ssubscribed(String channel, long count) {
    shards.confirmed(channel);
  }

  @Override
  public void smessage(String channel, String message) {
    shards.message(channel, message);
  }

  @Override
  public void sunsubscribed(String channel, long count) {
    shards.left(channel);
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    RedisException cause = new RedisException("the connection was lost");
    channels.interrupted(cause);
    shards.interrupted(cause);
  }
}
