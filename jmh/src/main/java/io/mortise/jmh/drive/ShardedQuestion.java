package io.mortise.jmh.drive;

import io.mortise.conformance.redis.ShardedPublish;
import java.nio.file.Path;
import java.util.List;

/**
 * A question of processes on a cluster behind proxies. Either the proxies make it a service that
 * shards PUBLISH, where each process sends the messages of its scripts itself, or they change
 * nothing, and scripts publish.
 *
 * @param processes what is measured
 * @param shards whether PUBLISH is sharded
 */
public record ShardedQuestion(ProcessQuestion processes, boolean shards) implements Question {
  @Override
  public String id() {
    return processes.id();
  }

  @Override
  public List<Cell> cells() {
    return processes.cells();
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    try (ShardedPublish service = start()) {
      processes.measure(cell, effort.on(service.uri()), file);
    }
  }

  /** The cluster behind its proxies. */
  ShardedPublish start() {
    return shards ? ShardedPublish.start() : ShardedPublish.startUnchanged();
  }
}
