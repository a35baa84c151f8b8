package io.mortise.backend.lettuce;

import io.mortise.backend.support.cluster.ClusterNodes;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One node of a cluster, with connections of its own. */
record LettuceNode(LettuceBackend backend) implements ClusterNodes.Node {
  @Override
  public List<?> ask(Duration time, String... words) throws Exception {
    return backend.ask(time, words);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsking(ScriptCall call) {
    return backend.executeAsking(call);
  }
}
