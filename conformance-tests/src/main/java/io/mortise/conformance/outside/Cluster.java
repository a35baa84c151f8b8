package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A cluster of three masters, each with one replica. Each lock is in a slot of its own. */
final class Cluster implements Group {
  /**
   * A master that wakes up runs what is in its sockets before it learns that it was replaced. So it
   * wakes when the clients have read the slots anew, and their calls have ended.
   */
  private static final long UNTIL_NO_CALLS = 1_000;

  private final RedisCluster cluster = RedisCluster.start(SILENCE);
  private final Map<String, Integer> slots = new HashMap<>();

  @Override
  public URI uri() {
    return cluster.uri();
  }

  @Override
  public List<RedisServer> nodes() {
    return cluster.nodes();
  }

  @Override
  public int masters() {
    return 3;
  }

  @Override
  public int replicas() {
    return 1;
  }

  @Override
  public List<String> locksOf(RedisServer master, List<String> names) {
    return names.stream().filter(name -> RedisCluster.owns(master, slot(name))).toList();
  }

  /** A node tells it once. Later that node may be frozen. */
  private synchronized int slot(String name) {
    return slots.computeIfAbsent(name, each -> cluster.slot('{' + each + '}'));
  }

  @Override
  public void awaitHealthy() {
    cluster.awaitHealthy();
  }

  @Override
  public void awaitNoMoreCallsTo(RedisServer master) {
    Injector.sleep(UNTIL_NO_CALLS);
  }

  @Override
  public List<Sort> sorts() {
    return List.of(Sort.SLOT_MOVED, Sort.SLOT_MOVED, Sort.SLOT_STUCK, Sort.SLOTS_GONE);
  }

  @Override
  public void spoil(Log log, String id, PlannedFault fault, String resource) {
    if (fault.sort() == Sort.SLOTS_GONE) {
      Faults.begin(log, id, fault.sort(), "server", WorkerOrders.MAIN);
      forgetSlot();
    } else {
      Faults.begin(log, id, fault.sort(), "server", WorkerOrders.MAIN, "resource", resource);
      RedisServer from = moveAway(fault, slot(resource));
      cluster.move(slot(resource), from);
    }
    Faults.end(log, id);
  }

  /** Moves a slot to another master, and stops on the way for one to three seconds if asked. */
  private RedisServer moveAway(PlannedFault fault, int slot) {
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);
    if (fault.sort() == Sort.SLOT_STUCK) {
      Injector.sleep(1_000 + 2L * fault.choice());
    }
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
    return from;
  }

  /** While one slot has no master, all masters refuse all calls. */
  private void forgetSlot() {
    int unrelated = slot("unrelated");
    RedisServer owner = cluster.owner(unrelated);
    String slot = String.valueOf(unrelated);
    cluster.nodes().forEach(node -> node.command("CLUSTER", "DELSLOTS", slot));
    Injector.sleep(1_000);
    owner.command("CLUSTER", "ADDSLOTS", slot);
    cluster.awaitHealthy();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
