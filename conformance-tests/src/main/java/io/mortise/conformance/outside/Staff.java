package io.mortise.conformance.outside;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The workers of a run. Only one thread at a time may manage a given worker. */
final class Staff implements AutoCloseable {
  private static final int THREADS = 3;

  private final Path folder;
  private final long origin;
  private final long seed;
  private final List<String> providers;
  private final Store store;
  private final AtomicReferenceArray<@Nullable WorkerProcess> workers;
  private final AtomicIntegerArray lives;

  /**
   * Starts all workers, two for each provider. One of the two starts on grants. If the store has
   * replicas, it waits for all of them instead.
   */
  Staff(Path folder, long origin, long seed, List<String> providers, Store store) {
    this.folder = folder;
    this.origin = origin;
    this.seed = seed;
    this.providers = providers;
    this.store = store;
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

  /** The name of a worker and its links in the logs. */
  static String slot(int number) {
    return "w" + (number + 1);
  }

  private WorkerProcess start(int number) {
    int life = lives.incrementAndGet(number);
    boolean second = number >= providers.size();
    return WorkerProcess.start(
        new WorkerOrders(
            slot(number) + '.' + life,
            folder,
            origin,
            providers.get(number % providers.size()),
            second ? store.replicas() : 0,
            store.lease(),
            store.uris(number),
            THREADS,
            seed * 1_000_003 + number * 1_009L + life * 17L,
            store.locks()));
  }

  /** The worker, or null after a kill until its successor is ready. */
  @Nullable WorkerProcess find(int number) {
    return workers.get(number);
  }

  /** Kills a worker. */
  void kill(int number) {
    WorkerProcess worker = workers.getAndSet(number, null);
    if (worker != null) {
      worker.close();
    }
  }

  /** Starts the successor of a killed worker. */
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

  /** Asks all workers to finish, and waits for their end. */
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
