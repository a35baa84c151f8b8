package io.mortise.backend.support.cluster;

import io.mortise.backend.support.ActivityTimer;
import io.mortise.backend.support.RoamingSubscription;
import io.mortise.backend.support.Threads;
import io.mortise.backend.support.cluster.ClusterNodes.Node;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All channels, over one node of a cluster. A cluster gives each message to every node, so any node
 * will do. It is left for another in four cases, and each is a gap (B11): its link breaks, the
 * cluster does not name it any more, its client has closed its connections, or a probe does not
 * come back. A probe is a message that another node publishes. A node that was taken out of the
 * cluster still answers every command, and only the probe shows that it gets no messages.
 * Thread-safe.
 */
final class ClusterMessages {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMessages.class);

  /** So a silent node is left within five seconds, after two probes that were lost. */
  static final Duration BEAT = Duration.ofMillis(1_500);

  private static final int MOST_LOST = 2;
  private static final Duration PATIENCE = Duration.ofMillis(200);
  private static final long PAUSE = 100;

  private final ClusterMap map;
  private final ActivityTimer pulse;

  /** The one thread that uses the fields below. */
  private final ScheduledThreadPoolExecutor turns = Threads.daemons("mortise-cluster-messages", 1);

  /** The node of the channels; null while there is none. */
  private @Nullable String home;

  /** Whether another home is chosen soon, for all channels that there are by then. */
  private boolean moving;

  /** Counts the homes, so that late news of an earlier one are recognized. */
  private int homes;

  private @Nullable Subscription probe;
  private String probed = "";

  /** Whether the last probe came back, and how many in a row did not. */
  private boolean heard;

  private int lost;

  private final List<RoamingSubscription> channels = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  /** Sends a probe at each beat while calls are made. */
  ClusterMessages(ClusterMap map, Duration beat) {
    this.map = map;
    pulse = new ActivityTimer(() -> turns.execute(this::probe), beat);
  }

  /** Notes a call of the backend: somebody may wait for a message after it. */
  void use() {
    pulse.use();
  }

  Subscription subscribe(String channel, ChannelListener listener) {
    RoamingSubscription user = new RoamingSubscription(channel, listener);
    turns.execute(() -> join(user));
    use();
    return () -> {
      user.close();
      turns.execute(() -> leave(user));
    };
  }

  private void join(RoamingSubscription user) {
    if (closed) {
      user.interrupted(new IllegalStateException("the backend is closed"));
      return;
    }
    channels.add(user);
    if (home != null) {
      attach(user, home);
    } else if (!moving) {
      choose(null);
    }
  }

  private void leave(RoamingSubscription user) {
    if (channels.remove(user)) {
      user.leave();
    }
    if (channels.isEmpty()) {
      end(probe);
      home = null;
      moving = false;
      homes++;
    }
  }

  /** Subscribes all channels at any master, but at the one that was left only if it is alone. */
  private void choose(@Nullable String left) {
    List<String> masters = new ArrayList<>(map.table().masters());
    masters.remove(left);
    Collections.shuffle(masters);
    home = masters.isEmpty() ? left : masters.get(0);
    moving = false;
    homes++;
    if (home == null) {
      move(homes, new IOException("the cluster has no master"));
      return;
    }
    for (RoamingSubscription each : channels) {
      attach(each, home);
    }
    attachProbe(home);
  }

  private void attach(RoamingSubscription user, String place) {
    int mine = homes;
    Consumer<Throwable> moved = cause -> turns.execute(() -> move(mine, cause));
    at(
        place,
        node -> {
          if (channels.contains(user)) {
            user.attach(node.info().endpoint(), node::subscribe, moved);
          }
        });
  }

  /** Uses a node, unless the home is another one when the node is connected. */
  private void at(String place, Consumer<LockBackend> use) {
    int mine = homes;
    CompletableFuture<?> unused =
        map.node(place)
            .whenCompleteAsync(
                (node, failure) -> {
                  if (mine != homes || closed) {
                    return;
                  }
                  try {
                    use.accept(connected(node, failure).backend());
                  } catch (RuntimeException | Error e) {
                    move(mine, e);
                  }
                },
                turns);
  }

  private static Node connected(@Nullable Node node, @Nullable Throwable failure) {
    if (node == null) {
      throw new IllegalStateException(failure);
    }
    return node;
  }

  /** Reports a gap, and goes to another node soon. Does nothing for news of an earlier home. */
  private void move(int from, Throwable cause) {
    if (from != homes || closed) {
      return;
    }
    String left = home;
    home = null; // a channel that comes meanwhile must not go to the node that was left
    moving = true;
    int mine = ++homes;
    Runnable next =
        () -> {
          if (mine == homes && !channels.isEmpty()) {
            choose(left);
          }
        };
    // First, as an Error in what follows must not be the end. It runs when this turn is over.
    Future<?> unused = turns.schedule(next, PAUSE, TimeUnit.MILLISECONDS);
    for (RoamingSubscription each : channels) {
      guarded(() -> each.detach(cause));
    }
    Subscription old = probe;
    probe = null;
    guarded(() -> end(old));
  }

  /** No channel may stay where it is because another one could not be closed there. */
  private static void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.debug("a subscription of a node could not be closed", e);
    }
  }

  private static void end(@Nullable Subscription subscription) {
    if (subscription != null) {
      subscription.close();
    }
  }

  /** Leaves a home that the cluster does not name any more. */
  void check() {
    turns.execute(() -> {
      if (home != null && !map.table().places().contains(home)) {
        move(homes, new IOException(home + " is no node of the cluster any more"));
      }
    });
  }

  /** Leaves a node whose client has closed its connections. */
  void leave(String place) {
    turns.execute(() -> {
      if (place.equals(home)) {
        move(homes, new IOException("the client has closed its connections to " + place));
      }
    });
  }

  // The probe

  private void attachProbe(String place) {
    heard = true;
    lost = 0;
    ChannelListener listener =
        new ChannelListener() {
          @Override
          public void onSubscribed() {}

          @Override
          public void onInterrupted(Throwable cause) {}

          @Override
          public void onMessage(String message) {
            turns.execute(() -> heard = true);
          }
        };
    probed = channels.get(0).channel() + ":probe"; // an ACL that allows the one allows it
    at(place, node -> probe = node.subscribe(probed, listener));
  }

  private void probe() {
    if (home == null || probe == null || channels.isEmpty()) {
      return;
    }
    lost = heard ? 0 : lost + 1;
    if (lost == MOST_LOST) {
      move(homes, new IOException(home + " gets no messages of the cluster"));
      return;
    }
    heard = !publish();
  }

  /** Publishes through another node. Returns false if none could. */
  private boolean publish() {
    List<String> others = new ArrayList<>(map.table().masters());
    others.remove(home);
    Collections.shuffle(others);
    for (String other : others) {
      try {
        map.ask(other, PATIENCE, "PUBLISH", probed, "");
        return true;
      } catch (Exception e) {
        // The next one may be able to. A node that cannot publish says nothing about the home.
      }
    }
    return false;
  }

  /** Ends all notifications. Returns the threads, to be ended when the map is closed. */
  ScheduledThreadPoolExecutor close() {
    closed = true;
    pulse.close();
    channels.forEach(RoamingSubscription::close);
    return turns;
  }
}
