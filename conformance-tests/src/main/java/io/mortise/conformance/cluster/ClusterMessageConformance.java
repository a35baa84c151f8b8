package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The messages of a Redis Cluster, when the node that they come over is killed or frozen. */
public abstract class ClusterMessageConformance extends ClusterTests {
  /** For the subclass that the author of a backend writes. */
  protected ClusterMessageConformance() {}

  @Test
  @Rule({"B11", "B23", "L10"})
  @DisplayName("B23: when the node of the messages is killed, they come over another one")
  void theNodeOfTheMessagesIsKilled(Figures figures) throws Exception {
    LockService service = service();
    LockService other = service();
    RedisServer home = home(other);
    home.kill();
    long killedAt = System.nanoTime();
    Await.until("another node has the mailbox", LONG, () -> homeOrNull(other, home) != null);
    long moved = (System.nanoTime() - killedAt) / 1_000_000;
    figures.add("cluster, mailbox moved after a kill (ms)", String.valueOf(moved));
    assertTrue(moved < 5_000, "it moved after " + moved + " ms");
    home.restart();
    cluster.awaitHealthy();

    DistributedLock mine = service.getLock(name);
    DistributedLock theirs = other.getLock(name);
    long longest = 0;
    for (int i = 0; i < 20; i++) {
      longest = Math.max(longest, handOver(mine, theirs));
    }
    assertTrue(longest < 1_900, "a grant took " + longest + " ms, as without messages");
  }

  @Test
  @Rule({"B13", "B23"})
  @DisplayName("B23: when the node of the messages is frozen, they come over another one")
  void theNodeOfTheMessagesIsFrozen(Figures figures) throws Exception {
    LockService service = service();
    RedisServer home = home(service);
    home.pause();
    try {
      long frozenAt = System.nanoTime();
      Await.until(
          "another node has the mailbox",
          LONG,
          () -> {
            tryOnce(service.getLock(name)); // a backend without calls may rest
            return homeOrNull(service, home) != null;
          });
      long moved = (System.nanoTime() - frozenAt) / 1_000_000;
      figures.add("cluster, mailbox moved after a freeze (ms)", String.valueOf(moved));
      assertTrue(moved < 12_000, "it moved after " + moved + " ms");
    } finally {
      home.resume();
    }
  }

  private static void tryOnce(DistributedLock lock) {
    try {
      if (lock.tryLock()) {
        lock.unlock();
      }
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      // the node of the lock may be the frozen one
    }
  }

  /** The milliseconds from an unlock until the thread of another service is inside. */
  private static long handOver(DistributedLock mine, DistributedLock theirs) throws Exception {
    mine.lock();
    AtomicBoolean inside = new AtomicBoolean();
    Crew waiter =
        Crew.start(
            ThreadKind.PLATFORM,
            1,
            number -> {
              theirs.lock();
              inside.set(true);
              theirs.unlock();
            });
    Await.until("its place is in the queue", () -> mine.getQueueLength() == 1);
    long start = System.nanoTime();
    mine.unlock();
    Await.until("the thread is inside", inside::get);
    long took = (System.nanoTime() - start) / 1_000_000;
    waiter.join(LONG);
    return took;
  }

  private RedisServer home(LockService service) {
    Await.until("a node has the mailbox", () -> homeOrNull(service, null) != null);
    return Objects.requireNonNull(homeOrNull(service, null));
  }

  /** The node on which the service has subscribed to its mailbox, other than that one. */
  private @Nullable RedisServer homeOrNull(LockService service, @Nullable RedisServer except) {
    String mailbox = "mortise:mail:" + service.clientId();
    return cluster.nodes().stream()
        .filter(node -> node != except && hears(node, mailbox))
        .findFirst()
        .orElse(null);
  }

  private static boolean hears(RedisServer node, String channel) {
    return String.valueOf(node.command("PUBSUB", "NUMSUB", channel)).endsWith(", 1]");
  }
}
