package io.mortise.backend.support.cluster;

import io.mortise.backend.support.RoamingSubscription;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
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

  /** The one thread that uses the fields of the channels. */
  private final ScheduledThreadPoolExecutor turns = Threads.daemons("mortise-cluster-shards", 1);

  private final Set<SlotChannel> channels = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  ShardedMessages(ClusterNodes cluster, ClusterMap map) {
    this.cluster = cluster;
    this.map = map;
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    SlotChannel mine = new SlotChannel(channel, listener);
    turns.execute(mine::join);
    return () -> {
      mine.user.close();
      turns.execute(mine::leave);
    };
  }

  /** Moves the channels whose slots have another master now. */
  void check() {
    if (!channels.isEmpty()) {
      turns.execute(() -> channels.forEach(SlotChannel::check));
    }
  }

  /** Moves the channels of a node whose client has closed its connections. */
  void leave(String place) {
    if (!channels.isEmpty()) {
      turns.execute(() -> channels.forEach(each -> each.leave(place)));
    }
  }

  /** Ends all notifications. Returns the threads, to be ended when the map is closed. */
  ScheduledThreadPoolExecutor close() {
    closed = true;
    channels.forEach(each -> each.user.close());
    return turns;
  }

  /** A subscription of a user that follows its slot. */
  private final class SlotChannel {
    private final RoamingSubscription user;
    private final int slot;

    /** The node of the subscription; null while there is none, and another attempt is ahead. */
    private @Nullable String home;

    /** Counts the homes, so that late news of an earlier one are recognized. */
    private int homes;

    SlotChannel(String channel, ChannelListener listener) {
      user = new RoamingSubscription(channel, listener);
      slot = cluster.slot(channel);
    }

    void join() {
      if (closed) {
        user.interrupted(new IllegalStateException("the backend is closed"));
      } else {
        channels.add(this);
        attach();
      }
    }

    void leave() {
      channels.remove(this);
      homes++;
      user.leave();
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
        LockBackend at = node.backend();
        user.attach(
            at.info().endpoint(),
            at::subscribeSharded,
            cause -> turns.execute(() -> move(mine, cause)));
      } catch (RuntimeException | Error e) {
        move(mine, e); // the node was closed, or no thread can be made
      }
    }

    void check() {
      if (home != null && !home.equals(map.table().owner(slot))) {
        move(homes, new IOException(home + " has not slot " + slot + " any more"));
      }
    }

    void leave(String place) {
      if (place.equals(home)) {
        move(homes, new IOException("the client has closed its connections to " + place));
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
      user.detach(cause);
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
