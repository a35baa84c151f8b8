package io.mortise.backend.support.cluster;

import static io.mortise.backend.support.cluster.StubCluster.A;
import static io.mortise.backend.support.cluster.StubCluster.B;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.mortise.backend.support.cluster.StubCluster.StubNode;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClusterMessagesTest {
  private final StubCluster cluster = new StubCluster();
  private final ClusterMap map = new ClusterMap(cluster, List.of(A), Duration.ofSeconds(1));
  private final ClusterMessages messages = new ClusterMessages(map, Duration.ofMillis(100));
  private final Heard heard = new Heard();

  @BeforeEach
  void connect() {
    map.node(B).join();
  }

  @AfterEach
  void close() {
    messages.close();
    map.close();
  }

  /** The node that has the subscriptions: the user's and the probe's. */
  private StubNode home() {
    List<StubNode> homes =
        cluster.nodes.values().stream().filter(node -> !node.listeners.isEmpty()).toList();
    assertEquals(1, homes.size(), homes::toString);
    return homes.get(0);
  }

  @Test
  @DisplayName("B14: all channels are on one node, and closing the last leaves it")
  void oneHome() throws InterruptedException {
    Subscription first = messages.subscribe("c", heard);
    heard.await("subscribed");
    Heard other = new Heard();
    Subscription second = messages.subscribe("d", other);
    other.await("subscribed");
    assertEquals(3, home().listeners.size(), "two channels and a probe");
    StubNode home = home();
    first.close();
    second.close();
    for (int i = 0; i < 1_000 && !home.listeners.isEmpty(); i++) {
      Thread.sleep(5);
    }
    assertEquals(List.of(), home.listeners);
  }

  @Test
  @DisplayName("B11, B23: when the link of its node breaks, it goes to another; one gap")
  void brokenLink() {
    messages.subscribe("c", heard);
    heard.await("subscribed");
    StubNode home = home();
    home.listeners.get(0).onInterrupted(new IOException("cut"));
    heard.await("subscribed", "interrupted", "subscribed");
    assertEquals(List.of(), home.listeners);
    home().listeners.get(0).onMessage("x");
    heard.await("subscribed", "interrupted", "subscribed", "message x");
  }

  @Test
  @DisplayName("B13, B23: a node that gets no messages of the cluster is left, though it answers")
  void silentNode() {
    messages.subscribe("c", heard);
    heard.await("subscribed");
    cluster.deliversMessages = false;
    messages.use();
    long end = System.nanoTime() + 20_000_000_000L;
    while (heard.news.size() < 3 && System.nanoTime() < end) {
      messages.use();
      Thread.onSpinWait();
    }
    assertEquals(
        List.of("subscribed", "interrupted", "subscribed"), List.copyOf(heard.news).subList(0, 3));
    cluster.deliversMessages = true;
  }

  /** The cluster does not name a node any more. */
  private void forget(StubNode home) {
    cluster.onlyNode = home.toString().equals(A) ? B : A;
    map.onReading(messages::check);
    map.refresh(null, null);
  }

  @Test
  @DisplayName("B23: a node that the cluster does not name any more is left")
  void forgottenNode() {
    messages.subscribe("c", heard);
    heard.await("subscribed");
    forget(home());
    heard.await("subscribed", "interrupted", "subscribed");
    assertEquals(cluster.onlyNode, home().toString());
  }

  @Test
  @DisplayName("B10, B22: an error while a channel is subscribed to is a gap, which ends")
  void anErrorInASubscription() {
    cluster.deaf.addAll(List.of(A, B));
    messages.subscribe("c", heard);
    heard.await("interrupted", "subscribed");
  }

  @Test
  @DisplayName("B11, B23: an error while a node is left keeps no channel there")
  void anErrorInAMove() {
    Heard other = new Heard();
    messages.subscribe("c", heard);
    messages.subscribe("d", other);
    heard.await("subscribed");
    other.await("subscribed");
    StubNode home = home();
    cluster.sticky.add(home.toString());
    home.listeners.get(0).onInterrupted(new IOException("cut"));
    heard.await("subscribed", "interrupted", "subscribed");
    other.await("subscribed", "interrupted", "subscribed");
    messages.subscribe("e", new Heard());
  }

  @Test
  @DisplayName("B10, B22: the same for a sharded channel")
  void anErrorInAShardedSubscription() {
    cluster.deaf.addAll(List.of(A, B));
    ShardedMessages shards = new ShardedMessages(cluster, map);
    shards.subscribe("c", heard);
    heard.await("interrupted", "subscribed");
    shards.close();
  }

  /** Does something while its channel goes from one node to another. */
  private static ChannelListener atTheGap(ChannelListener then, Runnable something) {
    return new ChannelListener() {
      @Override
      public void onSubscribed() {
        then.onSubscribed();
      }

      @Override
      public void onInterrupted(Throwable cause) {
        then.onInterrupted(cause);
        something.run();
      }

      @Override
      public void onMessage(String message) {
        then.onMessage(message);
      }
    };
  }

  @Test
  @DisplayName(
      "B11, B14: a channel that is subscribed to during a gap goes to the new node as well")
  void aSubscriptionDuringAGap() {
    Heard other = new Heard();
    messages.subscribe("c", atTheGap(heard, () -> messages.subscribe("d", other)));
    heard.await("subscribed");
    StubNode left = home();
    forget(left);
    other.await("subscribed");
    heard.await("subscribed", "interrupted", "subscribed");
    assertNotEquals(left, home());
  }

  @Test
  @DisplayName("B14, B15: when all channels are closed during a gap, a later one is subscribed to")
  void closedDuringAGap() {
    Heard other = new Heard();
    AtomicReference<Subscription> first = new AtomicReference<>();
    Runnable change =
        () -> {
          first.get().close();
          messages.subscribe("d", other);
        };
    first.set(messages.subscribe("c", atTheGap(heard, change)));
    heard.await("subscribed");
    forget(home());
    other.await("subscribed");
    heard.await("subscribed", "interrupted");
  }
}
