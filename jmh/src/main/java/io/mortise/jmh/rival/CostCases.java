package io.mortise.jmh.rival;

import io.mortise.jmh.contestant.ComparedLock;
import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

/** The cost of locking, counted by the server. */
final class CostCases {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int PAIRS = 200;
  private static final int THREADS = 8;
  private static final int CHANGES = 10;

  private CostCases() {}

  static List<Case> all() {
    List<Case> all = new ArrayList<>();
    for (ComparedLock kind : ComparedLock.values()) {
      all.add(
          new Case(
              kind.title() + ": an uncontended `lock()` and `unlock()`.",
              stage -> pairs(stage, kind, false)));
      all.add(
          new Case(
              kind.title() + ": a nested `lock()` and `unlock()`.",
              stage -> pairs(stage, kind, true)));
      if (kind != ComparedLock.READ) { // readers do not wait for each other
        all.add(
            new Case(
                kind.title() + ": two clients lock and unlock once each, one waits for the other.",
                stage -> changeOfHolder(stage, kind)));
      }
    }
    all.add(
        new Case(
            "plain: 8 threads of one client on one lock, for each `lock()` and `unlock()`.",
            CostCases::threadsOfOneClient));
    all.add(
        new Case(
            "plain: one `unlock()` while five other clients wait, until the next has the lock and"
                + " the rest wait again.",
            CostCases::oneUnlockManyClients));
    return all;
  }

  /** Loads the scripts and opens the connections before the counting begins. */
  private static Lock warm(LockClient client, ComparedLock kind) {
    Lock other = client.lock(kind, "warm-up");
    for (int i = 0; i < 20; i++) {
      pair(other);
    }
    return client.lock(kind, "name");
  }

  private static void pair(Lock lock) {
    lock.lock();
    lock.unlock();
  }

  private static Finding pairs(CaseSetup stage, ComparedLock kind, boolean nested)
      throws InterruptedException {
    Lock lock = warm(stage.open(LEASE), kind);
    if (nested) {
      lock.lock();
    }
    stage.server().resetCounts();
    for (int i = 0; i < PAIRS; i++) {
      pair(lock);
    }
    CaseSetup.settle();
    return per(PAIRS, stage);
  }

  private static Finding changeOfHolder(CaseSetup stage, ComparedLock kind)
      throws InterruptedException {
    Lock mine = warm(stage.open(LEASE), kind);
    Lock theirs = warm(stage.open(LEASE), kind);
    stage.server().resetCounts();
    for (int i = 0; i < CHANGES; i++) {
      mine.lock();
      Call waiter = Call.start(() -> pair(theirs));
      CaseSetup.pass(Duration.ofMillis(250)); // long enough for the waiter to join the queue
      mine.unlock();
      if (!waiter.endsWithin(LEASE) || waiter.hasFailed()) {
        throw new IllegalStateException(waiter.outcome());
      }
    }
    CaseSetup.settle();
    return per(CHANGES, stage);
  }

  private static Finding threadsOfOneClient(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.open(LEASE);
    CaseSetup.warmUp(client);
    Mutex mutex = client.mutex("name");
    stage.server().resetCounts();
    AtomicInteger left = new AtomicInteger(THREADS * PAIRS); // so all compete until the end
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      calls.add(
          Call.start(() -> {
            while (left.getAndDecrement() > 0) {
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
    CaseSetup.settle();
    return per(THREADS * PAIRS, stage);
  }

  private static Finding oneUnlockManyClients(CaseSetup stage) throws InterruptedException {
    Mutex held = stage.open(LEASE).mutex("name");
    held.lock().lock();
    for (int i = 0; i < 5; i++) {
      Mutex wanted = stage.open(LEASE).mutex("name");
      Call.start(() -> {
        wanted.lock().lock();
        CaseSetup.pass(LEASE);
      });
    }
    CaseSetup.settle();
    stage.server().resetCounts();
    held.lock().unlock();
    CaseSetup.settle();
    return per(1, stage);
  }

  private static Finding per(int times, CaseSetup stage) {
    Map<String, Long> counts = stage.counts();
    double all = counts.values().stream().mapToLong(Long::longValue).sum();
    return Finding.figure(
        "%.2f, of them %.2f scripts".formatted(all / times, (double) stage.scripts() / times));
  }
}
