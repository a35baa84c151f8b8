package io.mortise.conformance.redis;

import java.util.List;

/**
 * Splits a master off a cluster. Since Redis 7.2 a node that forgets another tells those that it
 * knows and that know it to forget it too. So first the others forget the master, which then can
 * tell nobody. Its replica refuses that, and the master forgets it before the others.
 */
final class SplitOff {
  private SplitOff() {}

  /** The replica that goes on in the place of the master. */
  static RedisServer replacing(RedisServer master, List<RedisServer> nodes) {
    String gone = RedisCluster.id(master);
    RedisServer replica =
        nodes.stream()
            .filter(node ->
                String.valueOf(node.command("CLUSTER", "NODES")).contains("myself,slave " + gone))
            .findFirst()
            .orElseThrow();
    List<RedisServer> others =
        nodes.stream().filter(node -> node != master && node != replica).toList();
    master.command("CONFIG", "SET", "cluster-require-full-coverage", "no");
    others.forEach(node -> forget(node, gone));
    forget(master, RedisCluster.id(replica));
    others.forEach(node -> forget(master, RedisCluster.id(node)));
    replica.command("CLUSTER", "FAILOVER", "TAKEOVER");
    forget(replica, gone);
    return replica;
  }

  /** Makes a node forget another, unless it has done so because a third one did. */
  static void forget(RedisServer node, String id) {
    try {
      node.command("CLUSTER", "FORGET", id);
    } catch (RespException e) {
      if (!String.valueOf(e.getMessage()).contains("Unknown node")) {
        throw e;
      }
    }
  }
}
