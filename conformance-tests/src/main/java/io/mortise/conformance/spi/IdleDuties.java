package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.CommandProxy;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What an idle service costs each living node while another node is down, on every topology, with
 * each node down in turn. Two services are counted: one that was open when the node went down, and
 * one that opened afterwards. Each reaches the nodes by proxies of its own, which count its
 * commands and nobody else's. The three topologies are measured at the same time.
 */
abstract class IdleDuties extends Duties {
  private static final double MOST_A_SECOND = 2;

  /** In no such time may more commands come. */
  private static final Duration WINDOW = Duration.ofSeconds(3);

  /** Sentinels are asked ten seconds after the last call, which must be in this time. */
  private static final Duration COUNTED = Duration.ofSeconds(7);

  /** A node that is silent for a second counts as dead, and a failover follows. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  private final RedisSentinelConformance kit;

  IdleDuties(RedisSentinelConformance kit) {
    super(kit);
    this.kit = kit;
  }

  /**
   * Servers that belong together.
   *
   * @param down the numbers of those that are taken down, in this order
   */
  private record Site(
      String name, URI uri, List<RedisServer> nodes, Runnable awaitWell, List<Integer> down) {
    boolean isSingle() {
      return nodes.size() == 1;
    }
  }

  /** The ways of the two services to the nodes, which stay the same while nodes come and go. */
  private record Ways(List<Counted> before, List<Counted> after) implements AutoCloseable {
    static Ways to(List<RedisServer> nodes) {
      return new Ways(
          nodes.stream().map(Counted::to).toList(), nodes.stream().map(Counted::to).toList());
    }

    void count() throws InterruptedException {
      before.forEach(each -> each.sent().clear());
      after.forEach(each -> each.sent().clear());
      Thread.sleep(COUNTED.toMillis()); // what happens in a time without calls is counted
    }

    @Override
    public void close() {
      before.forEach(each -> each.proxy().close());
      after.forEach(each -> each.proxy().close());
    }
  }

  /** A command, and when it was sent. */
  private record Sent(String command, long at) {
    boolean isWithin(Duration time, Sent first) {
      return at >= first.at && at - first.at < time.toNanos();
    }

    @Override
    public String toString() {
      return command;
    }
  }

  /** The way of one service to one node. */
  private record Counted(RedisServer node, CommandProxy proxy, Queue<Sent> sent) {
    static Counted to(RedisServer node) {
      Queue<Sent> sent = new ConcurrentLinkedQueue<>();
      return new Counted(
          node,
          CommandProxy.to(
              node,
              words -> {
                sent.add(new Sent(words.get(0), System.nanoTime()));
                return words;
              }),
          sent);
    }

    /** The most commands that came within one {@link #WINDOW}. */
    long most() {
      return sent.stream()
          .mapToLong(first -> sent.stream().filter(each -> each.isWithin(WINDOW, first)).count())
          .max()
          .orElse(0);
    }

    String mapping() {
      return node.host() + ':' + node.port() + '=' + proxy.uri().getAuthority();
    }
  }

  @Test
  @Tag("quiet")
  @Rule("B19")
  @DisplayName("B19: an idle service leaves all nodes in peace, whichever of them is down")
  void anIdleServiceCostsNothing(Figures figures) throws InterruptedException {
    List<Crew.Task> topologies =
        List.of(number -> single(figures), number -> cluster(figures), number -> set(figures));
    Crew.start(ThreadKind.PLATFORM, 3, number -> topologies.get(number).run(number))
        .join(Duration.ofMinutes(6));
  }

  private void single(Figures figures) throws InterruptedException {
    try (RedisServer server = RedisServer.start()) {
      measure(new Site("single", server.uri(), List.of(server), () -> {}, List.of(0)), figures);
    }
  }

  private void cluster(Figures figures) throws InterruptedException {
    try (RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(1))) {
      List<Integer> replicasFirst = List.of(3, 4, 5, 0, 1, 2);
      measure(
          new Site("cluster", cluster.uri(), cluster.nodes(), cluster::awaitHealthy, replicasFirst),
          figures);
    }
  }

  private void set(Figures figures) throws InterruptedException {
    try (RedisSentinels set = RedisSentinels.start(Duration.ofSeconds(1))) {
      List<RedisServer> nodes = new ArrayList<>(set.sentinels());
      nodes.addAll(set.servers());
      List<Integer> masterLast = List.of(0, 1, 2, 4, 5, 3);
      measure(new Site("sentinels", set.uri(), nodes, set::awaitComplete, masterLast), figures);
    }
  }

  private void measure(Site site, Figures figures) throws InterruptedException {
    try (Ways ways = Ways.to(site.nodes())) {
      count(site, ways, null, figures);
      for (int i : site.down()) {
        RedisServer node = site.nodes().get(i);
        count(site, ways, node, figures);
        if (!node.isRunning()) {
          node.restart();
        }
        site.awaitWell().run();
      }
    }
  }

  private static String role(RedisServer node) {
    String info = String.valueOf(node.command("INFO"));
    String role = info.contains("role:slave") ? "replica" : "master";
    return info.contains("_mode:sentinel") ? "sentinel" : role;
  }

  private void count(Site site, Ways ways, @Nullable RedisServer down, Figures figures)
      throws InterruptedException {
    String state =
        down == null
            ? "all up"
            : "%s %d down".formatted(role(down), site.nodes().indexOf(down) % 3 + 1);
    try (LockService open = open(site, ways.before())) {
      use(open);
      if (down != null) {
        down.kill();
      }
      if (down != null && site.isSingle()) { // only a living one can be sent anything
        Thread.sleep(1_000);
        down.restart();
      }
      Thread.sleep(SETTLE.toMillis());
      try (LockService opened = open(site, ways.after())) {
        use(opened);
        Thread.sleep(SETTLE.toMillis()); // a service pings for a while after its last call
        ways.count();
        judge(site.name() + ", " + state, ways, figures);
      }
    }
  }

  private static void judge(String what, Ways ways, Figures figures) {
    figures.add(
        "commands a second of an idle service at a living node, " + what,
        "%.1f open before, %.1f opened after".formatted(most(ways.before()), most(ways.after())));
    for (List<Counted> each : List.of(ways.before(), ways.after())) {
      assertTrue(
          most(each) <= MOST_A_SECOND,
          () ->
              what + ": " + most(each) + " a second: " + each.stream().map(Counted::sent).toList());
    }
  }

  /** The most that one node was sent in a second. */
  private static double most(List<Counted> ways) {
    long most = ways.stream().mapToLong(Counted::most).max().orElse(0);
    return most * 1000.0 / WINDOW.toMillis();
  }

  private LockService open(Site site, List<Counted> ways) {
    Map<String, String> mapped =
        Map.of("addresses", ways.stream().map(Counted::mapping).collect(Collectors.joining(",")));
    BackendConfig config =
        site.isSingle()
            ? new BackendConfig(ways.get(0).proxy().uri(), TIMEOUT, "mortise-kit", Map.of())
            : new BackendConfig(site.uri(), TIMEOUT, "mortise-kit", mapped);
    return LockService.builder().backend(kit.provider().open(config)).open();
  }

  private void use(LockService service) {
    for (int i = 0; i < 10; i++) { // on several nodes of a cluster
      service.getLock(name("idle-" + i)).lock();
      service.getLock(name("idle-" + i)).unlock();
    }
  }
}
