package io.mortise.conformance.outside;

import io.mortise.spi.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A run of servers, links and workers. Faults come for some time, then none do, and then it looks
 * for leftovers. The seed decides every step of each thread and every fault, but not their
 * interleaving.
 *
 * @param folder of the logs
 * @param seed of all plans
 * @param seconds with faults
 * @param providers the backends of the workers
 * @param topology of the store
 */
record Run(Path folder, long seed, long seconds, List<String> providers, Topology topology) {
  private static final long CALM_SECONDS = 8;

  /** Runs everything, and judges the logs. */
  Verdict judge() throws IOException, InterruptedException, ExecutionException {
    Files.createDirectories(folder);
    long origin = System.nanoTime();
    int workers = Staff.size(providers);
    try (Log log = new Log(folder, "run", origin);
        Store store = store(log, workers)) {
      Pulse pulse = new Pulse(log);
      try (Staff staff = new Staff(folder, origin, seed, providers, store)) {
        new Injector(log, store, staff)
            .run(store.plan(seed, TimeUnit.SECONDS.toMillis(seconds), workers));
        TimeUnit.SECONDS.sleep(CALM_SECONDS);
        staff.finish(log);
      }
      store.tellLeftovers();
      pulse.stop();
    }
    return Checker.judge(Log.readAll(folder));
  }

  private Store store(Log log, int workers) {
    return switch (topology) {
      case SINGLE -> new Servers(log, workers);
      case CLUSTER -> new ReplicatedStore(log, new Cluster());
      case SENTINEL -> new ReplicatedStore(log, new SentinelSet());
    };
  }
}
