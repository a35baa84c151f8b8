package io.mortise.conformance.redis;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A real Redis Cluster for tests: three masters, each with one replica, on ports of this machine.
 * The methods that name a key or a slot ask the nodes, so they are right also after a failover.
 */
public final class RedisCluster implements AutoCloseable {
  private static final int MASTERS = 3;
  private static final int SLOTS = 16_384;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<RedisServer> nodes = new ArrayList<>();

  private final Duration nodeTimeout;
  private final Supplier<List<String>> further;

  private RedisCluster(Duration nodeTimeout, Supplier<List<String>> further) {
    this.nodeTimeout = nodeTimeout;
    this.further = further;
  }

  /** The cluster that the tests of a JVM share; it ends with the JVM. */
  private static final class Shared {
    static final RedisCluster CLUSTER =
        start(Duration.ofSeconds(15)); // no failover on a busy machine
  }

  /**
   * The cluster for tests that leave it as it was.
   *
   * @return always the same
   * @throws TestAbortedException no cluster can run here
   */
  public static RedisCluster shared() {
    requireServer();
    return Shared.CLUSTER;
  }

  /**
   * Starts a cluster.
   *
   * @param nodeTimeout after so long the nodes take a silent one for dead; its replica takes over
   *     in about twice that time
   * @return a cluster whose nodes all serve
   * @throws TestAbortedException no cluster can run here
   */
  public static RedisCluster start(Duration nodeTimeout) {
    return start(nodeTimeout, List::of);
  }

  /**
   * Starts a cluster whose nodes have further settings.
   *
   * @param nodeTimeout as for {@link #start(Duration)}
   * @param further the further command line arguments of each node, asked once per node
   * @return a cluster whose nodes all serve
   * @throws TestAbortedException no cluster can run here
   */
  public static RedisCluster start(Duration nodeTimeout, Supplier<List<String>> further) {
    requireServer();
    RedisCluster cluster = new RedisCluster(nodeTimeout, further);
    try {
      for (int i = 0; i < 2 * MASTERS; i++) {
        cluster.nodes.add(cluster.newNode());
      }
      cluster.join();
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private static void requireServer() {
    if (!RedisServer.isInstalled()) {
      throw new TestAbortedException("a cluster needs a redis-server on the PATH");
    }
  }

  private RedisServer newNode() {
    return RedisServer.builder()
        .arguments("--cluster-enabled", "yes")
        .arguments("--cluster-node-timeout", String.valueOf(nodeTimeout.toMillis()))
        .arguments("--cluster-config-file", "nodes.conf", "--repl-diskless-sync-delay", "0")
        .arguments("--repl-ping-replica-period", "1", "--cluster-allow-replica-migration", "no")
        .arguments(further.get().toArray(String[]::new))
        .start();
  }

  private void join() {
    for (int i = 0; i < nodes.size(); i++) {
      RedisServer node = nodes.get(i);
      node.command("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(i + 1));
      if (i < MASTERS) {
        int first = SLOTS * i / MASTERS;
        int last = SLOTS * (i + 1) / MASTERS - 1;
        node.command("CLUSTER", "ADDSLOTSRANGE", String.valueOf(first), String.valueOf(last));
      }
      meet(node);
    }
    until("all nodes know each other", () -> nodes.stream().allMatch(this::knowsAll));
    for (int i = MASTERS; i < nodes.size(); i++) {
      RedisServer master = nodes.get(i - MASTERS);
      nodes.get(i).command("CLUSTER", "REPLICATE", id(master));
    }
    awaitHealthy();
  }

  private void meet(RedisServer node) {
    RedisServer first = nodes.get(0);
    if (node != first) {
      String port = String.valueOf(first.port());
      node.command("CLUSTER", "MEET", first.host(), port, busPort(first));
    }
  }

  /** The port for other nodes, which with TLS is not next to the port for clients. */
  private static String busPort(RedisServer node) {
    String self = String.valueOf(node.command("CLUSTER", "NODES"));
    return self.replaceFirst("(?s).*@(\\d+)[^ ]* myself.*", "$1");
  }

  private boolean knowsAll(RedisServer node) {
    String known = String.valueOf(node.command("CLUSTER", "NODES"));
    return known.lines().count() == nodes.size() && !known.contains("handshake");
  }

  /** Waits until every node that runs serves all slots, and every replica follows its master. */
  public void awaitHealthy() {
    until("the cluster serves", () -> nodes.stream().allMatch(this::serves));
    until("the replicas follow", () -> nodes.stream().allMatch(RedisCluster::follows));
  }

  private boolean serves(RedisServer node) {
    try {
      String info = String.valueOf(node.command("CLUSTER", "INFO"));
      String slots = String.valueOf(node.command("CLUSTER", "SLOTS"));
      return info.contains("cluster_state:ok")
          && nodes.stream().allMatch(each -> slots.contains(String.valueOf(each.port())));
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private static boolean follows(RedisServer node) {
    String info = String.valueOf(node.command("INFO", "replication"));
    return info.contains("role:master") || info.contains("master_link_status:up");
  }

  /**
   * The cluster's URI, with all nodes.
   *
   * @return {@code redis-cluster://host:port,host:port…}
   */
  public URI uri() {
    return URI.create(
        nodes.stream()
            .map(node -> node.host() + ':' + node.port())
            .collect(Collectors.joining(",", "redis-cluster://", "")));
  }

  /**
   * All nodes: first those that began as masters, then their replicas in the same order.
   *
   * @return the servers
   */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /**
   * Adds a node without slots, and waits until all know it.
   *
   * @return a master
   */
  public RedisServer add() {
    RedisServer node = newNode();
    nodes.add(node);
    meet(node);
    until("all nodes know the new one", () -> nodes.stream().allMatch(this::knowsAll));
    until("the new node serves", () -> isOk(node));
    return node;
  }

  private static boolean isOk(RedisServer node) {
    return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok");
  }

  /**
   * Makes all other nodes forget a node. It goes on running and answering.
   *
   * @param gone a node without slots
   */
  public void forget(RedisServer gone) {
    nodes.remove(gone);
    String id = id(gone);
    nodes.forEach(node -> SplitOff.forget(node, id));
  }

  /**
   * The hash slot of a key.
   *
   * @param key any key
   * @return as the server computes it
   */
  public int slot(String key) {
    RedisServer any = nodes.stream().filter(this::answers).findFirst().orElseThrow();
    Object slot = any.command("CLUSTER", "KEYSLOT", key);
    return Integer.parseInt(String.valueOf(slot));
  }

  /**
   * The master that has a slot now.
   *
   * @param slot 0 to 16383
   * @return a running master that says so itself
   */
  public RedisServer owner(int slot) {
    return Objects.requireNonNull(
        ownerOrNull(slot), () -> "no node has slot " + slot + ":\n" + views());
  }

  /** What each node says of the cluster, for messages. */
  private String views() {
    StringBuilder text = new StringBuilder();
    for (RedisServer node : nodes) {
      try {
        text.append(node).append('\n').append(node.command("CLUSTER", "NODES")).append('\n');
      } catch (UncheckedIOException e) {
        text.append(node).append(" does not answer\n");
      }
    }
    return text.toString();
  }

  /**
   * The master that has a slot now.
   *
   * @param slot 0 to 16383
   * @return null if no running master says that it has the slot
   */
  public @Nullable RedisServer ownerOrNull(int slot) {
    return nodes.stream().filter(node -> owns(node, slot)).findFirst().orElse(null);
  }

  /**
   * The master that has a slot now, beside one that is not asked.
   *
   * @param silent a node that would not answer
   * @param slot 0 to 16383
   * @return null if no other running master says that it has the slot
   */
  public @Nullable RedisServer ownerBeside(RedisServer silent, int slot) {
    return nodes.stream()
        .filter(node -> node != silent && owns(node, slot))
        .findFirst()
        .orElse(null);
  }

  private boolean answers(RedisServer node) {
    try {
      return node.command("PING") != null;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  /**
   * Whether a node has a slot.
   *
   * @param node any node
   * @param slot 0 to 16383
   * @return whether it runs, is a master, and says that it has the slot
   */
  public static boolean owns(RedisServer node, int slot) {
    return ranges(node).anyMatch(range -> contains(range, slot));
  }

  /** The ranges of slots that a master says it has; none if it does not run. */
  private static Stream<String> ranges(RedisServer node) {
    return ranges(node, "myself,master");
  }

  /** The ranges of slots of the node whose line in the view of another has the text. */
  private static Stream<String> ranges(RedisServer of, String text) {
    try {
      return String.valueOf(of.command("CLUSTER", "NODES"))
          .lines()
          .filter(line -> line.contains(text) && !line.contains("slave " + text))
          .flatMap(line -> Stream.of(line.split(" ", -1)).skip(8))
          .filter(range -> !range.startsWith("["));
    } catch (UncheckedIOException e) {
      return Stream.empty();
    }
  }

  /** The last slot of the range in which a master has the slot. */
  static int lastOfRange(RedisServer owner, int slot) {
    String range = ranges(owner).filter(each -> contains(each, slot)).findFirst().orElseThrow();
    return Integer.parseInt(range.substring(range.indexOf('-') + 1));
  }

  private static boolean contains(String range, int slot) {
    String[] ends = range.split("-", -1);
    return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
  }

  /**
   * A master that does not have this slot.
   *
   * @param slot the slot to avoid
   * @return a running master that has other slots
   */
  public RedisServer otherThan(int slot) {
    RedisServer owner = owner(slot);
    return nodes.stream().filter(node -> node != owner && hasSlots(node)).findFirst().orElseThrow();
  }

  private static boolean hasSlots(RedisServer node) {
    return ranges(node).count() > 0;
  }

  /**
   * Moves a slot with its keys.
   *
   * @param slot 0 to 16383
   * @param to the master that gets it
   */
  public void move(int slot, RedisServer to) {
    RedisServer from = beginMove(slot, to);
    moveKeys(slot, from, to);
    endMove(slot, from, to);
  }

  /**
   * Begins to move a slot. From now on the old master sends calls for keys that it does not have to
   * the new one.
   *
   * @param slot 0 to 16383
   * @param to the master that is to get it
   * @return the master that has it
   */
  public RedisServer beginMove(int slot, RedisServer to) {
    RedisServer from = owner(slot);
    to.command("CLUSTER", "SETSLOT", String.valueOf(slot), "IMPORTING", id(from));
    from.command("CLUSTER", "SETSLOT", String.valueOf(slot), "MIGRATING", id(to));
    return from;
  }

  /**
   * Moves all keys of a slot that is on its way.
   *
   * @param slot the slot
   * @param from its old master
   * @param to its new master
   */
  public void moveKeys(int slot, RedisServer from, RedisServer to) {
    List<String> keys = keys(slot, from);
    while (!keys.isEmpty()) {
      List<String> words = new ArrayList<>(List.of("MIGRATE", to.host()));
      words.addAll(List.of(String.valueOf(to.port()), "", "0", "5000", "KEYS"));
      words.addAll(keys);
      from.command(words.toArray(String[]::new));
      keys = keys(slot, from);
    }
  }

  private static List<String> keys(int slot, RedisServer on) {
    Object keys = on.command("CLUSTER", "GETKEYSINSLOT", String.valueOf(slot), "100");
    return keys instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }

  /**
   * Gives a slot to its new master, for good. The new master takes the next epoch, so all masters
   * must know the last one before. With two masters of one epoch, one of them claims anew what it
   * is giving away. Then waits until all masters say so, because a slot that moves on before can
   * end up with no master too.
   *
   * @param slot the slot, without keys on its old master
   * @param from its old master
   * @param to its new master
   */
  public void endMove(int slot, RedisServer from, RedisServer to) {
    String number = String.valueOf(slot);
    until("all masters know the last epoch", this::allKnowTheEpoch);
    to.command("CLUSTER", "SETSLOT", number, "NODE", id(to));
    from.command("CLUSTER", "SETSLOT", number, "NODE", id(to));
    until("all masters know where slot " + slot + " is", () -> allSay(slot, to));
  }

  private boolean allKnowTheEpoch() {
    return nodes.stream()
            .filter(RedisCluster::hasSlots)
            .map(node -> String.valueOf(node.command("CLUSTER", "INFO")))
            .map(info -> info.replaceFirst("(?s).*cluster_current_epoch:(\\d+).*", "$1"))
            .distinct()
            .count()
        == 1;
  }

  private boolean allSay(int slot, RedisServer owner) {
    String id = id(owner);
    for (RedisServer node : nodes) {
      if (hasSlots(node) && ranges(node, id).noneMatch(range -> contains(range, slot))) {
        node.command("CLUSTER", "SETSLOT", String.valueOf(slot), "NODE", id);
        return false;
      }
    }
    return true;
  }

  /**
   * Splits a master off: it goes on alone, and its replica takes its slots over in the cluster.
   *
   * @param master a master with a replica
   * @return the replica, which is a master now
   */
  public RedisServer splitOff(RedisServer master) {
    RedisServer replica = SplitOff.replacing(master, nodes);
    until("the replica serves", () -> hasSlots(replica) && isOk(replica));
    return replica;
  }

  static String id(RedisServer node) {
    return String.valueOf(node.command("CLUSTER", "MYID"));
  }

  private void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("not within " + PATIENCE + ": " + what + ":\n" + views());
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** Ends all nodes. */
  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  @Override
  public String toString() {
    return "RedisCluster[" + uri() + ']';
  }
}
