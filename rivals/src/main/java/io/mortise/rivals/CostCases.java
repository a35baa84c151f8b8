package io.mortise.rivals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What locking costs, counted by the server. */
final class CostCases {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int PAIRS = 200;
  private static final int THREADS = 8;

  private CostCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "Commands per uncontended `lock()` and `unlock()`, those inside scripts too.",
            CostCases::uncontended),
        new Case("The same for a nested `lock()` and `unlock()`.", CostCases::nested),
        new Case(
            "Commands per `lock()` and `unlock()` of 8 threads of one client on one lock.",
            CostCases::threadsOfOneClient),
        new Case(
            "Five other clients wait, one `unlock()`: commands until the next has the lock and the"
                + " rest wait again.",
            CostCases::oneUnlockManyClients));
  }

  private static Finding uncontended(Stage stage) throws InterruptedException {
    Client client = stage.open(LEASE);
    Stage.warmUp(client);
    Mutex mutex = client.mutex("name");
    stage.server().resetCounts();
    return pairs(stage, mutex);
  }

  private static Finding nested(Stage stage) throws InterruptedException {
    Client client = stage.open(LEASE);
    Stage.warmUp(client);
    Mutex mutex = client.mutex("name");
    mutex.lock().lock();
    stage.server().resetCounts();
    return pairs(stage, mutex);
  }

  private static Finding pairs(Stage stage, Mutex mutex) throws InterruptedException {
    for (int i = 0; i < PAIRS; i++) {
      mutex.lock().lock();
      mutex.lock().unlock();
    }
    Stage.settle();
    return per(PAIRS, stage);
  }

  private static Finding threadsOfOneClient(Stage stage) throws InterruptedException {
    Client client = stage.open(LEASE);
    Stage.warmUp(client);
    Mutex mutex = client.mutex("name");
    stage.server().resetCounts();
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      calls.add(
          Call.start(() -> {
            for (int round = 0; round < PAIRS; round++) {
              mutex.lock().lock();
              mutex.lock().unlock();
            }
          }));
    }
    for (Call call : calls) {
      if (!call.endsWithin(LEASE) || call.hasFailed()) {
        throw new IllegalStateException(call.outcome());
      }
    }
    Stage.settle();
    return per(THREADS * PAIRS, stage);
  }

  private static Finding oneUnlockManyClients(Stage stage) throws InterruptedException {
    Mutex held = stage.open(LEASE).mutex("name");
    held.lock().lock();
    for (int i = 0; i < 5; i++) {
      Mutex wanted = stage.open(LEASE).mutex("name");
      Call.start(() -> {
        wanted.lock().lock();
        Stage.pass(LEASE);
      });
    }
    Stage.settle();
    stage.server().resetCounts();
    held.lock().unlock();
    Stage.settle();
    return per(1, stage);
  }

  private static Finding per(int times, Stage stage) {
    Map<String, Long> counts = stage.counts();
    double all = counts.values().stream().mapToLong(Long::longValue).sum();
    return Finding.figure(
        "%.2f, of them %.2f scripts".formatted(all / times, (double) stage.scripts() / times));
  }
}
