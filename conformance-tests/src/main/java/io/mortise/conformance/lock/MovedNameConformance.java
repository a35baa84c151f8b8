package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.HostNames;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Names of hosts that get another address while a service is open, as at a failover by DNS. The
 * service is in a process of its own, whose names the test moves. A proxy at each address of this
 * machine stands for a server of that address.
 */
public abstract class MovedNameConformance implements RedisKit {
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String FIRST = "127.0.0.2";
  private static final String SECOND = "127.0.0.3";
  private static final String THIRD = "127.0.0.4";

  private final String name = "moved-" + UUID.randomUUID();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private HostNames names;

  /** For the subclass that the author of a backend writes. */
  protected MovedNameConformance() {}

  @BeforeEach
  void makeNames() {
    HostNames.assumeSeveralAddresses();
    names = closing(new HostNames());
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    opened.add(0, resource);
    return resource;
  }

  /**
   * The main class of the process. Override it for a client that does not ask the JVM for the
   * addresses of names.
   *
   * @return a class whose main method calls {@link RemoteLock#serve}
   */
  protected Class<?> process() {
    return RemoteLock.class;
  }

  private RemoteLock open(String uri) {
    RemoteLock.Way way = new RemoteLock.Way(process(), names.options(), URI.create(uri));
    return closing(RemoteLock.start(way, this, name, LEASE));
  }

  private static long locks(RemoteLock lock) {
    long start = System.nanoTime();
    Await.until("it locks", PATIENCE, () -> lock.ask("lock").equals("lock"));
    assertEquals("unlock", lock.ask("unlock"));
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static boolean listens(RedisServer server) {
    Object channels = server.command("PUBSUB", "CHANNELS", "mortise:mail:*");
    return channels instanceof List<?> list && !list.isEmpty();
  }

  private RedisServer follower(RedisServer master) {
    RedisServer replica =
        closing(RedisServer.builder().arguments("--repl-diskless-sync-delay", "0").start());
    follow(replica, master);
    return replica;
  }

  private static void follow(RedisServer replica, RedisServer master) {
    replica.command("REPLICAOF", master.host(), String.valueOf(master.port()));
    Await.until(
        "the replica follows",
        () ->
            String.valueOf(replica.command("INFO", "replication"))
                .contains("master_link_status:up"));
  }

  @Test
  @Rule({"B14", "B23"})
  @DisplayName(
      "B23: a name of a single server is looked up anew, whatever became of the old server")
  void theNameOfAServer(Figures figures) {
    RedisServer one = closing(RedisServer.start());
    RedisServer two = follower(one);
    int port = one.port();
    closing(TcpProxy.at(FIRST, port, one));
    TcpProxy second = closing(TcpProxy.at(SECOND, port, two));
    names.lead("store.test", FIRST);
    RemoteLock lock = open("redis://store.test:" + port);
    locks(lock);

    two.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", SECOND);
    one.command("REPLICAOF", two.host(), String.valueOf(two.port())); // and nobody is cut off
    figures.add("the old server is a replica: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the second server", () -> listens(two));

    RedisServer three = follower(two);
    TcpProxy third = closing(TcpProxy.at(THIRD, port, three));
    three.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", THIRD);
    second.stall();
    figures.add("the old server is silent: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the third server", () -> listens(three));

    second.close();
    follow(two, three);
    closing(TcpProxy.at(SECOND, port, two));
    two.command("REPLICAOF", "NO", "ONE");
    names.lead("store.test", SECOND);
    third.close();
    figures.add("the old server is gone: next lock, ms", String.valueOf(locks(lock)));
    Await.until("it listens at the second server again", () -> listens(two));
  }

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
