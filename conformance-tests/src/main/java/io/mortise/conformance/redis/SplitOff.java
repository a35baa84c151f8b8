package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/**
 * Splits a master off a cluster. Since Redis 7.2 a node that forgets another tells this to all
 * nodes that it answers, and those that know it believe it. So nobody may know the master when it
 * forgets the others. A replica does not forget its master. So it is frozen meanwhile, and when it
 * goes on, the first thing it does is to take over and forget.
 */
final class SplitOff {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

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
    List<String> others =
        nodes.stream().filter(node -> node != master).map(RedisCluster::id).toList();
    try (RespConnection heir = connect(replica);
        RespConnection old = connect(master)) {
      heir.call("PING");
      nodes.stream()
          .filter(node -> node != master && node != replica)
          .forEach(node -> forget(node, gone));
      replica.pause();
      old.call("CONFIG", "SET", "cluster-require-full-coverage", "no");
      for (String other : others) {
        old.call("CLUSTER", "FORGET", other);
      }
      heir.send("MULTI");
      heir.send("CLUSTER", "FAILOVER", "TAKEOVER");
      heir.send("CLUSTER", "FORGET", gone);
      heir.send("EXEC");
      replica.resume();
      for (int reply = 0; reply < 4; reply++) {
        heir.read();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return replica;
  }

  private static RespConnection connect(RedisServer node) throws IOException {
    return new RespConnection(node.host(), node.port(), PATIENCE);
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
