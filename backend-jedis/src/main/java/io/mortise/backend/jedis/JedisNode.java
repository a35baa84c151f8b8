package io.mortise.backend.jedis;

import io.mortise.backend.support.cluster.ClusterNodes;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One node of a cluster, with a pool of its own. */
record JedisNode(JedisBackend backend) implements ClusterNodes.Node {
  @Override
  public boolean isUsable() {
    return backend.hasPool();
  }

  @Override
  public List<?> ask(Duration time, String... words) throws Exception {
    return backend.ask(time, words);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsking(ScriptCall call) {
    return backend.executeAsking(call);
  }
}
