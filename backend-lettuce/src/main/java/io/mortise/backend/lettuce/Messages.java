package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import io.mortise.spi.support.Feed;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Who listens on which channel of the one connection for messages. */
final class Messages extends RedisPubSubAdapter<String, String>
    implements RedisConnectionStateListener {
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final List<Feed> feeds = new CopyOnWriteArrayList<>();

  /** The channels of the UNSUBSCRIBEs under way, as often as there are any. */
  private final Queue<String> leaving = new ConcurrentLinkedQueue<>();

  Messages(StatefulRedisPubSubConnection<String, String> connection) {
    this.connection = connection;
    connection.addListener((RedisConnectionStateListener) this);
    connection.addListener((RedisPubSubListener<String, String>) this);
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    Feed feed = new Feed(channel, listener, () -> {});
    feeds.add(feed);
    ask(feed);
    return () -> {
      feed.close();
      feeds.remove(feed);
      leaveIfUnused(channel);
    };
  }

  private void ask(Feed feed) {
    var asked = connection.async().subscribe(feed.channel());
    asked.exceptionally(refusal -> {
      feed.interrupted(refusal);
      return null;
    });
  }

  private void leaveIfUnused(String channel) {
    if (on(channel).findAny().isEmpty()) {
      leaving.add(channel);
      connection.async().unsubscribe(channel).whenComplete((done, e) -> leaving.remove(channel));
    }
  }

  private Stream<Feed> on(String channel) {
    return feeds.stream().filter(feed -> feed.channel().equals(channel));
  }

  /** Asks again for what the server has not confirmed. */
  void askAgain() {
    feeds.stream().filter(feed -> !feed.isLive()).forEach(this::ask);
  }

  void close() {
    feeds.forEach(Feed::close);
  }

  /**
   * While an UNSUBSCRIBE is under way, a confirmation may be one from before it. A channel left
   * while there was no connection is subscribed anew by Lettuce, and left again here.
   */
  @Override
  public void subscribed(String channel, long count) {
    if (!leaving.contains(channel)) {
      on(channel).forEach(Feed::confirmed);
      leaveIfUnused(channel);
    }
  }

  @Override
  public void message(String channel, String message) {
    on(channel).forEach(feed -> feed.message(message));
  }

  /** Where a SUBSCRIBE was faster than an UNSUBSCRIBE meant for the one before, it is repeated. */
  @Override
  public void unsubscribed(String channel, long count) {
    RedisException cause = new RedisException("unsubscribed");
    on(channel).filter(Feed::isLive).forEach(feed -> feed.interrupted(cause));
    askAgain();
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    feeds.forEach(feed -> feed.interrupted(new RedisException("the connection was lost")));
  }
}
