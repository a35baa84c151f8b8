package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import io.mortise.conformance.outside.Step.What;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Masters with replicas that take over. Half of the workers wait until all replicas have what makes
 * or prolongs a hold.
 */
final class ReplicatedStore implements Store {
  /** Longer than a failover and a third of the lease, so that holds can last through it. */
  private static final Duration LEASE = Duration.ofSeconds(8);

  private static final List<What> LOCKS =
      Stream.of(What.values()).filter(what -> what != What.RED && what != What.SHARED).toList();

  private static final List<String> NAMES =
      LOCKS.stream().flatMap(what -> Locks.resources(what).stream()).distinct().toList();

  /** How long a master goes on without its replicas before it is lost (ms). */
  private static final long ALONE = 1_000;

  /** The kinds that all groups have, each listed as often as its weight. */
  private static final List<Sort> SORTS =
      List.of(Sort.MASTER_KILL, Sort.MASTER_FREEZE, Sort.SERVER_FREEZE, Sort.CLIENTS_CUT);

  /** How long a thawed master is left alone, which may still take itself for one (ms). */
  private static final long AWAKE = 3_000;

  /** How long calls pile up before all links are closed (ms), less than a command timeout. */
  private static final long PILING_UP = 100;

  private final Log log;
  private final Group group;
  private final MasterWatch watch;

  ReplicatedStore(Log log, Group group) {
    this.log = log;
    this.group = group;
    watch = new MasterWatch(log, group, NAMES);
  }

  @Override
  public List<String> uris(int worker) {
    return List.of(group.uri().toString());
  }

  @Override
  public List<What> locks() {
    return LOCKS;
  }

  @Override
  public Duration lease() {
    return LEASE;
  }

  @Override
  public int replicas() {
    return group.replicas();
  }

  @Override
  public List<PlannedFault> plan(long seed, long millis, int workers) {
    List<Sort> sorts = new ArrayList<>(SORTS);
    sorts.addAll(group.sorts());
    return PlannedFault.plan(seed, millis, workers, sorts);
  }

  /** Carries out a fault, and leaves the group in peace for a moment. */
  @Override
  public void inject(String id, PlannedFault fault) {
    switch (fault.sort()) {
      case MASTER_KILL, MASTER_FREEZE -> loseMaster(id, fault);
      case SERVER_FREEZE -> freezeShortly(id, fault);
      case CLIENTS_CUT -> cutClients(id, fault);
      default -> group.spoil(log, id, fault, NAMES.get(fault.choice() % NAMES.size()));
    }
    Injector.sleep(fault.choice());
  }

  private RedisServer master(PlannedFault fault) {
    List<RedisServer> masters = watch.masters();
    return masters.get(fault.choice() % masters.size());
  }

  /** A killed master comes back empty, and only when it was replaced. */
  private void loseMaster(String id, PlannedFault fault) {
    RedisServer master = master(fault);
    Faults.begin(log, id, fault.sort(), "server", WorkerOrders.MAIN);
    List<RedisServer> behind = fault.choice() % 3 == 0 ? List.of() : leaveReplicasBehind(master);
    if (fault.sort() == Sort.MASTER_KILL) {
      master.kill();
      behind.forEach(RedisServer::resume);
      awaitReplacementOf(master);
      master.restart();
    } else {
      master.pause();
      behind.forEach(RedisServer::resume);
      awaitReplacementOf(master);
      master.resume();
      Injector.sleep(AWAKE);
    }
    group.awaitHealthy();
    Faults.end(log, id);
  }

  /**
   * Makes writes that no replica has. It pauses the replicas, and cuts their links, since they
   * would still read what is in them. Then the master goes on alone for a moment.
   */
  private List<RedisServer> leaveReplicasBehind(RedisServer master) {
    String role = String.valueOf(master.command("ROLE"));
    List<RedisServer> replicas =
        group.nodes().stream()
            .filter(node -> node != master && role.contains(", " + node.port() + ','))
            .toList();
    replicas.forEach(RedisServer::pause);
    Object unused = master.command("CLIENT", "KILL", "TYPE", "replica");
    Injector.sleep(ALONE);
    return replicas;
  }

  private void awaitReplacementOf(RedisServer master) {
    watch.awaitReplacementOf(master);
    group.awaitNoMoreCallsTo(master);
  }

  private void freezeShortly(String id, PlannedFault fault) {
    RedisServer master = master(fault);
    Faults.begin(log, id, fault.sort(), "server", WorkerOrders.MAIN);
    master.pause();
    Injector.sleep(Math.min(fault.lasts(), Group.SILENCE.toMillis() * 2 / 3));
    master.resume();
    Faults.end(log, id);
  }

  /**
   * Closes the links of all clients behind calls that ran, and before their replies. The calls pile
   * up while the master is paused. It then runs them in one turn, in the order in which they came,
   * and writes the replies after that turn. The command that closes the links came last.
   */
  private void cutClients(String id, PlannedFault fault) {
    RedisServer master = master(fault);
    try (RespConnection last =
        new RespConnection(master.host(), master.port(), Duration.ofSeconds(10))) {
      last.call("PING"); // now the master knows the link
      Faults.begin(log, id, fault.sort(), "server", WorkerOrders.MAIN);
      master.pause();
      Injector.sleep(PILING_UP);
      last.send("CLIENT", "KILL", "TYPE", "normal");
      last.send("CLIENT", "KILL", "TYPE", "pubsub");
      master.resume();
      last.read();
      Faults.end(log, id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void tellLeftovers() {
    watch.close();
    watch.masters().forEach(node -> Leftovers.tell(log, WorkerOrders.MAIN, node));
    group.nodes().forEach(node -> Leftovers.tellChannels(log, WorkerOrders.MAIN, node));
  }

  @Override
  public void close() {
    watch.close();
    group.close();
  }
}
