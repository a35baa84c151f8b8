package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Fault.Sort;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** A master with two replicas, and three sentinels. */
final class SentinelSet implements Group {
  /** How long a service may still write to the old master after a sentinel named the new one. */
  private static final long UNTIL_NO_CALLS = 100;

  /** A sentinel that was away for two seconds replaces no master for the next 30 s. */
  private static final long FREEZE = 1_300;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RedisSentinels set = RedisSentinels.start(SILENCE);

  @Override
  public URI uri() {
    return set.uri();
  }

  @Override
  public List<RedisServer> nodes() {
    return set.servers();
  }

  @Override
  public int masters() {
    return 1;
  }

  @Override
  public int replicas() {
    return 2;
  }

  @Override
  public List<String> locksOf(RedisServer master, List<String> names) {
    return names;
  }

  /** The sentinels take ten seconds to notice a master of old. An operator is faster. */
  @Override
  public void awaitHealthy() {
    Await.until("all sentinels name one master", PATIENCE, this::agree);
    RedisServer master = set.master();
    String[] follow = {"REPLICAOF", master.host(), String.valueOf(master.port())};
    nodes().stream().filter(node -> node != master).forEach(node -> node.command(follow));
    Await.until(
        "the replicas follow", PATIENCE, () -> nodes().stream().allMatch(n -> isWell(n, master)));
    set.awaitComplete();
  }

  /** The sentinel that leads a failover names the old master for a second longer. */
  private boolean agree() {
    return set.sentinels().stream().map(each -> set.facts(each).get("port")).distinct().count()
        == 1;
  }

  private static boolean isWell(RedisServer node, RedisServer master) {
    String info = String.valueOf(node.command("INFO", "replication"));
    return node == master
        ? info.contains("role:master")
        : info.contains("master_link_status:up") && info.contains("master_port:" + master.port());
  }

  @Override
  public void awaitNoMoreCallsTo(RedisServer master) {
    set.masterAfter(master);
    Injector.sleep(UNTIL_NO_CALLS);
  }

  @Override
  public List<Sort> sorts() {
    return List.of(Sort.SENTINEL_KILL, Sort.SENTINELS_FREEZE);
  }

  @Override
  public void spoil(Log log, String id, PlannedFault fault, String resource) {
    List<RedisServer> sentinels = set.sentinels();
    Faults.begin(log, id, fault.sort(), "server", "sentinels");
    if (fault.sort() == Sort.SENTINEL_KILL) {
      RedisServer victim = sentinels.get(fault.choice() % sentinels.size());
      victim.kill();
      Injector.sleep(fault.lasts());
      victim.restart();
    } else {
      sentinels.forEach(RedisServer::pause);
      Injector.sleep(Math.min(fault.lasts(), FREEZE));
      sentinels.forEach(RedisServer::resume);
    }
    set.awaitComplete();
    Faults.end(log, id);
  }

  @Override
  public void close() {
    set.close();
  }
}
