package io.mortise.conformance.lock;

import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The same as of a single server, and names of the nodes of a cluster and of sentinels. */
public abstract class MovedNameConformance extends MovedServerConformance {
  /** For the subclass that the author of a backend writes. */
  protected MovedNameConformance() {}

  @Test
  @Rule({"B14", "B22", "B23"})
  @DisplayName("B23: names that the nodes of a cluster announce, and that of the seed, may move")
  void theNamesOfNodes(Figures figures) throws Exception {
    AtomicInteger made = new AtomicInteger();
    RedisCluster cluster =
        closing(
            RedisCluster.start(
                Duration.ofSeconds(15),
                () ->
                    List.of(
                        "--cluster-announce-hostname",
                        "node-%d.test".formatted(made.getAndIncrement()),
                        "--cluster-preferred-endpoint-type",
                        "hostname")));
    List<TcpProxy> first = move(cluster, "node", FIRST);
    RemoteLock lock = open("redis-cluster://seed.test:" + cluster.nodes().get(0).port());
    locks(lock);

    closeAll(first);
    List<TcpProxy> second = move(cluster, "node", SECOND);
    figures.add("the nodes of a cluster moved: next lock, ms", String.valueOf(locks(lock)));

    List<TcpProxy> third = move(cluster, "node", THIRD);
    second.forEach(TcpProxy::stall);
    figures.add("and were silent before: next lock, ms", String.valueOf(locks(lock)));

    closeAll(third);
    for (int i = 0; i < cluster.nodes().size(); i++) {
      names.forget("node-" + i + ".test");
      String next = "other-" + i + ".test";
      cluster.nodes().get(i).command("CONFIG", "SET", "cluster-announce-hostname", next);
    }
    move(cluster, "other", FIRST);
    figures.add("only the seed knows their names: next lock, ms", String.valueOf(locks(lock)));
  }

  private static void closeAll(List<TcpProxy> proxies) {
    proxies.forEach(TcpProxy::close);
  }

  private List<TcpProxy> move(RedisCluster cluster, String kind, String address) {
    List<TcpProxy> proxies = new ArrayList<>();
    for (int i = 0; i < cluster.nodes().size(); i++) {
      RedisServer node = cluster.nodes().get(i);
      proxies.add(closing(TcpProxy.at(address, node.port(), node)));
      names.lead(kind + '-' + i + ".test", address);
    }
    names.lead("seed.test", address);
    return proxies;
  }

  @Test
  @Rule({"B14", "B23"})
  @DisplayName("B23: the name of a sentinel is looked up anew, and its news are heard")
  void theNameOfASentinel(Figures figures) {
    RedisServer one = closing(RedisServer.start());
    RedisServer two = follower(one);
    RedisServer sentinel =
        closing(
            RedisServer.builder()
                .sentinel(
                    "sentinel monitor m %s %d 1".formatted(one.host(), one.port()),
                    "sentinel down-after-milliseconds m 1000",
                    "sentinel failover-timeout m 3000")
                .start());
    TcpProxy old = closing(TcpProxy.at(FIRST, sentinel.port(), sentinel));
    names.lead("sentinel.test", FIRST);
    RemoteLock lock = open("redis-sentinel://sentinel.test:" + sentinel.port() + "#m");
    locks(lock);

    closing(TcpProxy.at(SECOND, sentinel.port(), sentinel));
    names.lead("sentinel.test", SECOND);
    old.close();
    Await.until(
        "the sentinel knows the replica",
        () ->
            String.valueOf(sentinel.command("SENTINEL", "MASTER", "m")).contains("num-slaves, 1,"));
    one.kill();
    figures.add("a sentinel moved, then the master: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the next master", () -> listens(two));
  }
}
