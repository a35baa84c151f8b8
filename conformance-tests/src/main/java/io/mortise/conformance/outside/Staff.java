package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Step.What;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The workers of a run. One thread at a time may see to one of them. */
final class Staff implements AutoCloseable {
  private static final int THREADS = 3;

  private final Path folder;
  private final long origin;
  private final long seed;
  private final List<String> providers;
  private final List<Site> sites;
  private final AtomicReferenceArray<WorkerProcess> workers;
  private final AtomicReferenceArray<Integer> lives;

  /** Starts them all, each of the providers without and with starts on grants. */
  Staff(Path folder, long origin, long seed, List<String> providers, List<Site> sites) {
    this.folder = folder;
    this.origin = origin;
    this.seed = seed;
    this.providers = providers;
    this.sites = sites;
    workers = new AtomicReferenceArray<>(size(providers));
    lives = new AtomicReferenceArray<>(size(providers));
    for (int i = 0; i < workers.length(); i++) {
      lives.set(i, 0);
      workers.set(i, start(i));
    }
    for (int i = 0; i < workers.length(); i++) {
      take(i).awaitReady();
    }
  }

  static int size(List<String> providers) {
    return 2 * providers.size();
  }

  /** What the logs call a worker, and its links. */
  static String slot(int number) {
    return "w" + (number + 1);
  }

  private WorkerProcess start(int number) {
    int life = lives.accumulateAndGet(number, 1, Integer::sum);
    return WorkerProcess.start(
        new WorkerOrders(
            slot(number) + '.' + life,
            folder,
            origin,
            providers.get(number % providers.size()),
            number >= providers.size(),
            sites.stream().map(site -> site.link(number).uri().toString()).toList(),
            THREADS,
            seed * 1_000_003 + number * 1_009L + life * 17L,
            List.of(What.values())));
  }

  WorkerProcess take(int number) {
    return workers.get(number);
  }

  /** Starts the next life of a worker that was killed. */
  void replace(int number) {
    WorkerProcess next = start(number);
    workers.set(number, next);
    next.awaitReady();
  }

  /** Tells all of them to end, and waits for that. */
  void finish(Log log) {
    List<WorkerProcess> all = new ArrayList<>();
    for (int i = 0; i < workers.length(); i++) {
      all.add(take(i));
    }
    all.forEach(WorkerProcess::finish);
    for (WorkerProcess each : all) {
      String wrong = each.awaitEnd();
      if (!wrong.isEmpty()) {
        log.tell("surprise", "name", each.name(), "what", wrong);
      }
    }
  }

  @Override
  public void close() {
    for (int i = 0; i < workers.length(); i++) {
      WorkerProcess worker = take(i);
      if (worker != null) {
        worker.close();
      }
    }
  }
}
