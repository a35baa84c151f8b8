package io.mortise.conformance.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 */
record Run(Path folder, long seed, long seconds, List<String> providers) {
  private static final int RED_SERVERS = 3;
  private static final long CALM_SECONDS = 8;

  /** Runs everything, and judges the logs. */
  Verdict judge() throws IOException, InterruptedException, ExecutionException {
    Files.createDirectories(folder);
    long origin = System.nanoTime();
    List<Site> sites = new ArrayList<>();
    try (Log log = new Log(folder, "run", origin)) {
      Pulse pulse = new Pulse(log);
      int workers = Staff.size(providers);
      sites.add(new Site(WorkerOrders.MAIN, workers, true));
      for (int i = 1; i <= RED_SERVERS; i++) {
        sites.add(new Site(WorkerOrders.red(i), workers, false));
      }
      try (Staff staff = new Staff(folder, origin, seed, providers, sites)) {
        List<PlannedFault> plan =
            PlannedFault.plan(seed, TimeUnit.SECONDS.toMillis(seconds), workers, sites.size());
        new Injector(log, sites, staff).run(plan);
        TimeUnit.SECONDS.sleep(CALM_SECONDS);
        staff.finish(log);
      }
      sites.forEach(site -> tellLeftovers(log, site));
      pulse.stop();
    } finally {
      sites.forEach(Site::close);
    }
    return Checker.judge(Log.readAll(folder));
  }

  private static void tellLeftovers(Log log, Site site) {
    for (String key : site.server().keys()) {
      Object expires = site.server().command("PTTL", key);
      if (!Long.valueOf(-2).equals(expires)) { // not just expired
        log.tell("key", "server", site.name(), "name", key, "expires", String.valueOf(expires));
      }
    }
    if (site.server().command("PUBSUB", "CHANNELS") instanceof List<?> channels) {
      channels.forEach(
          name -> log.tell("channel", "server", site.name(), "name", String.valueOf(name)));
    }
  }
}
