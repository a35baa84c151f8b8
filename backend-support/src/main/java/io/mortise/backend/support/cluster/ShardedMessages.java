package io.mortise.backend.support.cluster;

import io.mortise.backend.support.ChannelSubscription;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a cluster that are sharded: each over the master of its hash slot. A channel
 * follows its slot to another master, and that is a gap (B11). The old master ends the subscription
 * when the slot goes, refuses it later, or is silent. In the last case a reading of the table names
 * the next master. Thread-safe.
 *
 * <p>No probe is needed, as the messages of a channel come from its own node. The node's backend
 * notices a silent link while calls are made to it, and a waiter's calls go to the node of its
 * channel.
 */
final class ShardedMessages {
  private static final long PAUSE = 100;

  private final ClusterNodes cluster;
  private final ClusterMap map;

  /** The one thread that uses the fields of the feeds. */
  private final ScheduledThreadPoolExecutor turns = Threads.daemons("mortise-cluster-shards", 1);

  private final Set<Feed> feeds = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ShardedMessages(ClusterNodes cluster, ClusterMap map) {
    this.cluster = cluster;
    this.map = map;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    Feed feed = new Feed(channel, listener);
    turns.execute(feed::join);
    return () -> {
      feed.events.close();
      turns.execute(feed::leave);
    };
  }

  /** Moves the channels whose slots have another master now. */
  void check() {
    if (!feeds.isEmpty()) {
      turns.execute(() -> feeds.forEach(Feed::check));
    }
  }

  /** Ends all notifications. Returns the threads, to be ended when the map is closed. */
  ScheduledThreadPoolExecutor close() {
    closed = true;
    feeds.forEach(feed -> feed.events.close());
    return turns;
  }

  /** A subscription of a user, and the one at a node that stands for it now. */
  private final class Feed {
    private final ChannelSubscription events;
    private final int slot;

    /** The node of the subscription; null while there is none, and another attempt is ahead. */
    private @Nullable String home;

    private @Nullable Subscription current;

    /** Counts the homes, so that late news of an earlier one are recognized. */
    private int homes;

    Feed(String channel, ChannelListener listener) {
      events = new ChannelSubscription(channel, listener);
      slot = cluster.slot(channel);
    }

    void join() {
      if (closed) {
        events.interrupted(new IllegalStateException("the backend is closed"));
      } else {
        feeds.add(this);
        attach();
      }
    }

    void leave() {
      feeds.remove(this);
      homes++;
      end();
    }

    private void end() {
      if (current != null) {
        current.close();
        current = null;
      }
    }

    private void attach() {
      int mine = ++homes;
      home = map.table().owner(slot);
      if (home == null) {
        move(mine, new IOException("no node has slot " + slot));
        return;
      }
      Future<?> unused =
          map.node(home)
              .whenCompleteAsync((node, failure) -> subscribe(mine, node, failure), turns);
    }

    private void subscribe(int mine, @Nullable Node node, @Nullable Throwable failure) {
      if (mine != homes || closed) {
        return;
      }
      if (node == null) {
        move(mine, failure == null ? new IOException("no connection to " + home) : failure);
        return;
      }
      try {
        current = node.backend().subscribeSharded(events.channel(), listener(mine));
      } catch (RuntimeException e) {
        move(mine, e); // the node was closed
      }
    }

    private ChannelListener listener(int mine) {
      return new ChannelListener() {
        @Override
        public void onSubscribed() {
          events.confirmed();
        }

        @Override
        public void onInterrupted(Throwable cause) {
          events.interrupted(cause);
          turns.execute(() -> move(mine, cause));
        }

        @Override
        public void onMessage(String message) {
          events.message(message);
        }
      };
    }

    void check() {
      if (home != null && !home.equals(map.table().owner(slot))) {
        move(homes, new IOException(home + " has not slot " + slot + " any more"));
      }
    }

    /** Reports a gap, and subscribes again soon. Does nothing for news of an earlier home. */
    private void move(int from, Throwable cause) {
      if (from != homes || closed) {
        return;
      }
      int mine = ++homes;
      map.refresh(null, home);
      home = null;
      end(); // first: the old home may confirm again meanwhile, and the gap would be missed
      events.interrupted(cause);
      Runnable next =
          () -> {
            if (mine == homes) {
              attach();
            }
          };
      Future<?> unused = turns.schedule(next, PAUSE, TimeUnit.MILLISECONDS);
    }
  }
}
