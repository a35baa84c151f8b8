package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The channels of a Redis Cluster that are kept to one node, also when their slot moves. */
public abstract class ShardedMessageConformance extends ClusterTests {
  private static final Script PUBLISH =
      Script.of("sharded-publish", "return {redis.call('SPUBLISH', ARGV[1], ARGV[2])}");

  /** For the subclass that the author of a backend writes. */
  protected ShardedMessageConformance() {}

  /** The events of a listener: "+" subscribed, "-" interrupted, else a message. */
  private static final class Heard implements ChannelListener {
    final List<String> events = new CopyOnWriteArrayList<>();

    @Override
    public void onSubscribed() {
      events.add("+");
    }

    @Override
    public void onInterrupted(Throwable cause) {
      events.add("-");
    }

    @Override
    public void onMessage(String message) {
      events.add(message);
    }

    void await(String... all) {
      Await.until(
          () -> "heard " + List.of(all) + ", not " + events,
          LONG,
          () -> events.equals(List.of(all)));
    }
  }

  private String channel() {
    return channel(name);
  }

  private static String channel(String tag) {
    return "channel:{" + tag + '}';
  }

  /** Publishes by a script, as locks do. Returns how many heard it. */
  private static Object publish(LockBackend backend, String tag, String message) {
    List<String> args = List.of(channel(tag), message);
    return backend
        .execute(new ScriptCall(PUBLISH, List.of(tag), args, Duration.ofSeconds(2)))
        .get(0);
  }

  private static String listeners(RedisServer node, String channel) {
    return String.valueOf(node.command("PUBSUB", "SHARDNUMSUB", channel));
  }

  @Test
  @Rule({"B11", "B12", "B14", "B15"})
  @DisplayName(
      "B14: a sharded channel is on the node of its slot, and only there, until it is closed")
  void theNodeOfTheSlot() {
    LockBackend backend = backend();
    assertTrue(backend.info().shardsChannels());
    Heard first = new Heard();
    Heard second = new Heard();
    Subscription leaving = backend.subscribeSharded(channel(), first);
    Subscription staying = backend.subscribeSharded(channel(), second);
    first.await("+");
    second.await("+");
    RedisServer owner = cluster.owner(cluster.slot(name));
    for (RedisServer node : cluster.nodes()) {
      String count = node == owner ? ", 1]" : ", 0]";
      assertTrue(listeners(node, channel()).endsWith(count), node::toString);
    }
    for (int i = 0; i < 50; i++) {
      assertEquals(1L, publish(backend, name, "m" + i), "one connection for both");
    }
    List<String> all = new ArrayList<>(List.of("+"));
    IntStream.range(0, 50).forEach(i -> all.add("m" + i));
    first.await(all.toArray(String[]::new));
    second.await(all.toArray(String[]::new));
    leaving.close();
    publish(backend, name, "last");
    all.add("last");
    second.await(all.toArray(String[]::new));
    assertEquals(all.subList(0, 51), first.events, "B15");
    staying.close();
    Await.until("nobody listens", LONG, () -> listeners(owner, channel()).endsWith(", 0]"));
  }

  @Test
  @Rule({"B11", "B12"})
  @DisplayName("B12: channels of many slots each get their own messages")
  void manyChannels() {
    LockBackend backend = backend();
    List<Heard> heard = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      Heard one = new Heard();
      backend.subscribeSharded(channel(name + i), one);
      heard.add(one);
    }
    heard.forEach(one -> one.await("+"));
    for (int i = 0; i < 50; i++) {
      publish(backend, name + i, "for" + i);
    }
    for (int i = 0; i < 50; i++) {
      heard.get(i).await("+", "for" + i);
    }
  }

  @Test
  @Rule({"B11", "B15"})
  @DisplayName("B11: a sharded channel that is closed and subscribed again at once is subscribed")
  void leavingAndJoiningAgain() {
    LockBackend backend = backend();
    for (int i = 0; i < 30; i++) {
      Heard heard = new Heard();
      Subscription subscription = backend.subscribeSharded(channel(), heard);
      heard.await("+");
      publish(backend, name, "m" + i);
      heard.await("+", "m" + i);
      subscription.close();
      backend.subscribeSharded(channel(), new Heard()).close();
    }
  }

  @Test
  @Rule({"B11", "B22", "B23"})
  @DisplayName("B23: a sharded channel follows its slot there and back, with a gap for each move")
  void theSlotMoves(Figures figures) {
    LockBackend backend = backend();
    Heard heard = new Heard();
    backend.subscribeSharded(channel(), heard);
    heard.await("+");
    List<String> all = new ArrayList<>(List.of("+"));
    int slot = cluster.slot(name);
    RedisServer first = cluster.owner(slot);
    RedisServer second = cluster.otherThan(slot);
    long longest = 0;
    for (RedisServer next : List.of(second, first, second, first)) {
      cluster.move(slot, next);
      long movedAt = System.nanoTime();
      all.addAll(List.of("-", "+"));
      Await.until("the gap is over", LONG, () -> signs(heard).equals(signs(all)));
      longest = Math.max(longest, (System.nanoTime() - movedAt) / 1_000_000);
      publish(backend, name, "at" + all.size());
      all.add("at" + all.size());
      heard.await(all.toArray(String[]::new));
    }
    figures.add("cluster, sharded channel back after a move (ms)", String.valueOf(longest));
    assertTrue(longest < 5_000, () -> heard.events.toString());
  }

  private static List<String> signs(Heard heard) {
    return signs(heard.events);
  }

  private static List<String> signs(List<String> events) {
    return events.stream().filter(event -> event.length() == 1).toList();
  }

  @Test
  @Rule({"B11", "B23"})
  @DisplayName("B23: when the node of a sharded channel is killed, the channel is at its replica")
  void theNodeIsKilled() {
    LockBackend backend = backend();
    Heard heard = new Heard();
    backend.subscribeSharded(channel(), heard);
    heard.await("+");
    RedisServer owner = cluster.owner(cluster.slot(name));
    owner.kill();
    heard.await("+", "-", "+");
    assertEquals(1L, publish(backend, name, "after"));
    heard.await("+", "-", "+", "after");
    owner.restart();
  }

  @Test
  @Rule({"B11", "B13", "B23"})
  @DisplayName("B13: when the node of a sharded channel is frozen, the channel is at its replica")
  void theNodeIsFrozen() {
    LockBackend backend = backend();
    Heard heard = new Heard();
    backend.subscribeSharded(channel(), heard);
    heard.await("+");
    RedisServer owner = cluster.owner(cluster.slot(name));
    owner.pause();
    try {
      Await.until(
          () -> "subscribed at the replica: " + heard.events,
          LONG,
          () -> {
            call(backend); // a backend without calls may rest
            return heard.events.equals(List.of("+", "-", "+"));
          });
      assertEquals(1L, publish(backend, name, "after"));
      heard.await("+", "-", "+", "after");
    } finally {
      owner.resume();
    }
  }

  private void call(LockBackend backend) {
    try {
      backend.execute(counted(name, "x", Duration.ofMillis(500)));
    } catch (BackendException e) {
      // until the replica has taken over
    }
  }
}
