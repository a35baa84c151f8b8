package io.mortise.conformance.outside;

import io.mortise.conformance.outside.Step.What;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The workers of a run. One thread at a time may see to one of them. */
final class Staff implements AutoCloseable {
  private static final int THREADS = 3;

  private final Path folder;
  private final long origin;
  private final long seed;
  private final List<String> providers;
  private final List<Site> sites;
  private final AtomicReferenceArray<@Nullable WorkerProcess> workers;
  private final AtomicIntegerArray lives;

  /** Starts them all, each of the providers without and with starts on grants. */
  Staff(Path folder, long origin, long seed, List<String> providers, List<Site> sites) {
    this.folder = folder;
    this.origin = origin;
    this.seed = seed;
    this.providers = providers;
    this.sites = sites;
    workers = new AtomicReferenceArray<>(size(providers));
    lives = new AtomicIntegerArray(size(providers));
    for (int i = 0; i < workers.length(); i++) {
      workers.set(i, start(i));
    }
    all().forEach(WorkerProcess::awaitReady);
  }

  static int size(List<String> providers) {
    return 2 * providers.size();
  }

  /** What the logs call a worker, and its links. */
  static String slot(int number) {
    return "w" + (number + 1);
  }

  private WorkerProcess start(int number) {
    int life = lives.incrementAndGet(number);
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

  /** A worker, or nothing while it has been killed and the next one is not at work yet. */
  @Nullable WorkerProcess find(int number) {
    return workers.get(number);
  }

  /** Ends a worker at once. */
  void kill(int number) {
    WorkerProcess worker = workers.getAndSet(number, null);
    if (worker != null) {
      worker.close();
    }
  }

  /** Starts the next life of a worker that was killed. */
  void replace(int number) {
    WorkerProcess next = start(number);
    try {
      next.awaitReady();
    } finally {
      workers.set(number, next);
    }
  }

  private List<WorkerProcess> all() {
    return IntStream.range(0, workers.length())
        .mapToObj(this::find)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Tells all of them to end, and waits for that. */
  void finish(Log log) {
    List<WorkerProcess> all = all();
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
    all().forEach(WorkerProcess::close);
  }
}
