package io.mortise.backend.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who listens on which channel of the one connection for messages. */
final class Messages extends RedisPubSubAdapter<String, String>
    implements RedisConnectionStateListener {
  private final StatefulRedisPubSubConnection<String, String> connection;
  private final List<Feed> feeds = new CopyOnWriteArrayList<>();

  /** How many UNSUBSCRIBEs are under way. */
  private final Map<String, Integer> leaving = new ConcurrentHashMap<>();

  Messages(StatefulRedisPubSubConnection<String, String> connection) {
    this.connection = connection;
    connection.addListener((RedisConnectionStateListener) this);
    connection.addListener((RedisPubSubListener<String, String>) this);
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    Feed feed = new Feed(channel, listener);
    feeds.add(feed);
    feed.ask();
    return feed;
  }

  /** Asks again for what the server has not confirmed. */
  void askAgain() {
    feeds.stream().filter(feed -> feed.state != State.LIVE).forEach(Feed::ask);
  }

  void close() {
    feeds.forEach(Feed::close);
  }

  /** While an UNSUBSCRIBE is under way, a confirmation may be one from before it. */
  @Override
  public void subscribed(String channel, long count) {
    if (!leaving.containsKey(channel)) {
      on(channel, feed -> feed.tell(feed.listener::onSubscribed, State.LIVE, State.NEW, State.GAP));
    }
  }

  @Override
  public void message(String channel, String message) {
    on(channel, f -> f.tell(() -> f.listener.onMessage(message), State.LIVE, State.LIVE));
  }

  /** Where a SUBSCRIBE was faster than an UNSUBSCRIBE meant for the one before, it is repeated. */
  @Override
  public void unsubscribed(String channel, long count) {
    if (!leaving.containsKey(channel)) {
      on(channel, feed -> feed.interrupt(new RedisException("unsubscribed"), State.LIVE));
      on(channel, Feed::ask);
    }
  }

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
    RedisException cause = new RedisException("the connection for messages was lost");
    feeds.forEach(feed -> feed.interrupt(cause, State.LIVE));
  }

  private void on(String channel, Consumer<Feed> event) {
    feeds.stream().filter(feed -> feed.channel.equals(channel)).forEach(event);
  }

  private enum State {
    NEW,
    LIVE,
    GAP,
    CLOSED
  }

  /** One listener and what it was told last. */
  private final class Feed implements Subscription {
    private final String channel;
    private final ChannelListener listener;

    /** Held during a listener's call, so that {@link #close} waits for one that has begun. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile State state = State.NEW;

    Feed(String channel, ChannelListener listener) {
      this.channel = channel;
      this.listener = listener;
    }

    void ask() {
      connection
          .async()
          .subscribe(channel)
          .exceptionally(refusal -> {
            interrupt(refusal, State.NEW, State.LIVE);
            return null;
          });
    }

    void interrupt(Throwable cause, State... from) {
      tell(() -> listener.onInterrupted(cause), State.GAP, from);
    }

    /** Changes the state and tells the news, if the state is one of {@code from}. */
    void tell(Runnable news, State to, State... from) {
      turn.lock();
      try {
        if (List.of(from).contains(state)) {
          state = to;
          news.run();
        }
      } finally {
        turn.unlock();
      }
    }

    @Override
    public void close() {
      tell(() -> feeds.remove(this), State.CLOSED, State.NEW, State.LIVE, State.GAP);
      if (feeds.stream().noneMatch(other -> other.channel.equals(channel))) {
        leaving.merge(channel, 1, Integer::sum);
        RedisFuture<Void> left = connection.async().unsubscribe(channel);
        left.whenComplete((done, e) -> leaving.computeIfPresent(channel, Messages::less));
      }
    }
  }

  private static @Nullable Integer less(String channel, Integer count) {
    return count == 1 ? null : count - 1;
  }
}
