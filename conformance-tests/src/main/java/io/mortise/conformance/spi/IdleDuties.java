package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What an idle service costs each living node while another node is down, on every topology. Two
 * services are counted: one that was open when the node went down, and one that opened afterwards.
 * What the nodes tell each other is counted without a service, and subtracted. The three topologies
 * are measured at the same time. {@code -Dmortise.soak=1} takes each node down in turn.
 */
abstract class IdleDuties extends Duties {
  private static final double MOST_A_SECOND = 2;

  /** The talk of the nodes, which is subtracted, changes by less than this. */
  private static final double NOISE = 2;

  private static final boolean ALL = Integer.getInteger("mortise.soak", 0) > 0;
  private static final Duration WINDOW = Duration.ofSeconds(3);

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
   * @param down the numbers of those that are taken down
   */
  private record Site(
      String name, URI uri, List<RedisServer> nodes, Runnable awaitWell, List<Integer> down) {}

  @Test
  @Rule("B19")
  @DisplayName("B19: an idle service leaves all nodes in peace, whichever of them is down")
  void anIdleServiceCostsNothing(Figures figures) throws InterruptedException {
    List<Crew.Task> topologies =
        List.of(number -> single(figures), number -> cluster(figures), number -> set(figures));
    Crew.start(ThreadKind.PLATFORM, 3, number -> topologies.get(number).run(number))
        .join(Duration.ofMinutes(ALL ? 6 : 2));
  }

  private void single(Figures figures) throws InterruptedException {
    try (RedisServer server = RedisServer.start()) {
      measure(new Site("single", server.uri(), List.of(server), () -> {}, List.of(0)), figures);
    }
  }

  private void cluster(Figures figures) throws InterruptedException {
    try (RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(1))) {
      List<Integer> down = ALL ? List.of(3, 4, 5, 0, 1, 2) : List.of(0); // replicas first
      Site site = new Site("cluster", cluster.uri(), cluster.nodes(), cluster::awaitHealthy, down);
      measure(site, figures);
    }
  }

  private void set(Figures figures) throws InterruptedException {
    try (RedisSentinels set = RedisSentinels.start(Duration.ofSeconds(1))) {
      List<RedisServer> nodes = new ArrayList<>(set.sentinels());
      nodes.addAll(set.servers());
      List<Integer> down = ALL ? List.of(0, 1, 2, 4, 5, 3) : List.of(0); // the master last
      measure(new Site("sentinels", set.uri(), nodes, set::awaitComplete, down), figures);
    }
  }

  private void measure(Site site, Figures figures) throws InterruptedException {
    if (ALL) {
      count(site, "all up", figures, () -> {});
    }
    for (int i : site.down()) {
      RedisServer node = site.nodes().get(i);
      String what = "%s %d down".formatted(role(node), i % 3 + 1);
      count(site, what, figures, node::kill);
      if (!node.isRunning()) {
        node.restart();
      }
      site.awaitWell().run();
    }
  }

  private static String role(RedisServer node) {
    String info = String.valueOf(node.command("INFO"));
    String role = info.contains("role:slave") ? "replica" : "master";
    return info.contains("_mode:sentinel") ? "sentinel" : role;
  }

  private void count(Site site, String what, Figures figures, Runnable fault)
      throws InterruptedException {
    List<Double> open;
    try (LockService service = open(site)) {
      use(service);
      fault.run();
      if (site.nodes().size() == 1) { // it is down for a while, since only a living one can count
        Thread.sleep(1_000);
        site.nodes().get(0).restart();
      }
      Thread.sleep(SETTLE.toMillis());
      open = rates(site);
    }
    List<Double> opened;
    try (LockService service = open(site)) {
      use(service);
      Thread.sleep(SETTLE.toMillis()); // a service pings for a while after its last call
      opened = rates(site);
    }
    List<Double> none = rates(site);
    double before = most(open, none);
    double after = most(opened, none);
    figures.add(
        "commands a second of an idle service at a living node, %s, %s"
            .formatted(site.name(), what),
        "%.1f open before, %.1f opened after".formatted(before, after));
    assertTrue(
        Math.max(before, after) < MOST_A_SECOND + NOISE,
        () -> "%s, %s: %.1f and %.1f a second".formatted(site.name(), what, before, after));
  }

  private LockService open(Site site) {
    return LockService.builder().backend(kit.openAsGiven(site.uri())).open();
  }

  private void use(LockService service) {
    for (int i = 0; i < 10; i++) { // on several nodes of a cluster
      service.getLock(name("idle-" + i)).lock();
      service.getLock(name("idle-" + i)).unlock();
    }
  }

  /** The most that a node got by the service, or 0. */
  private static double most(List<Double> with, List<Double> without) {
    return IntStream.range(0, with.size())
        .mapToDouble(i -> with.get(i) - without.get(i))
        .reduce(0, Math::max);
  }

  private static List<Double> rates(Site site) throws InterruptedException {
    List<RedisServer> living = site.nodes().stream().filter(RedisServer::isRunning).toList();
    List<Long> before = living.stream().map(IdleDuties::commands).toList();
    long start = System.nanoTime();
    Thread.sleep(WINDOW.toMillis()); // what happens in a time without calls is counted
    double seconds = (System.nanoTime() - start) / 1e9;
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      rates.add((commands(living.get(i)) - before.get(i)) / seconds);
    }
    return rates;
  }

  /** A sentinel counts no command by its name. Other servers count the INFO of sentinels apart. */
  private static long commands(RedisServer node) {
    String stats = String.valueOf(node.command("INFO"));
    if (!stats.contains("_mode:sentinel")) {
      return node.commandCounts().values().stream().mapToLong(Long::longValue).sum();
    }
    return stats
        .lines()
        .filter(line -> line.startsWith("total_commands_processed:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
        .sum();
  }
}
