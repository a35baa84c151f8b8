package io.mortise.jmh.rival;

import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Leases that must be renewed while their holder lives, and only then. */
final class RenewalCases {
  private static final Duration LEASE = Duration.ofSeconds(3);

  private RenewalCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "After 100 `lock()` and `unlock()` in a row one lock is held. It should be renewed"
                + " about three times per lease time.",
            RenewalCases::renewalsAfterManyLocks),
        new Case(
            "The key of one of 250 held locks is overwritten with a string. Two lease times later"
                + " the other 249 must still be held.",
            RenewalCases::aKeyOverwritten),
        new Case(
            "A thread locks four times. Another client forces the lock open, and another thread"
                + " of the first client locks. Two lease times later that lock must still be"
                + " held.",
            RenewalCases::forcedOpen),
        new Case(
            "A thread locks and ends without unlocking. Another client must get the lock when its"
                + " lease of 3 s is over.",
            RenewalCases::aHolderThatDied),
        new Case(
            "The server does not answer for half a lease time. A lease time later the lock must"
                + " still be held.",
            RenewalCases::aPausedServer));
  }

  private static Finding renewalsAfterManyLocks(CaseSetup stage) throws InterruptedException {
    Mutex mutex = stage.open(LEASE).mutex("name");
    for (int i = 0; i < 100; i++) {
      mutex.lock().lock();
      mutex.lock().unlock();
    }
    mutex.lock().lock();
    CaseSetup.pass(LEASE.dividedBy(2));
    stage.server().resetCounts();
    CaseSetup.pass(LEASE);
    long renewals = stage.scripts();
    return Finding.of(renewals <= 6, "%d renewals per lease time".formatted(renewals));
  }

  private static Finding aKeyOverwritten(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.open(LEASE);
    List<Mutex> all = IntStream.range(0, 250).mapToObj(i -> client.mutex("name-" + i)).toList();
    all.forEach(mutex -> mutex.lock().lock());
    List<String> others = new ArrayList<>(all.stream().map(Mutex::key).toList());
    stage.server().command("SET", others.remove(100), "a string");
    CaseSetup.pass(LEASE.multipliedBy(2));
    long lost = others.size() - stage.count(others);
    return Finding.of(lost == 0, "%d of %d others lost".formatted(lost, others.size()));
  }

  private static Finding forcedOpen(CaseSetup stage) throws InterruptedException {
    Mutex mutex = stage.open(LEASE).mutex("name");
    CountDownLatch done = new CountDownLatch(1);
    lockAndStay(mutex, 4, done);
    stage.open(LEASE).mutex("name").forceUnlock();
    boolean locked = lockAndStay(mutex, 1, done);
    CaseSetup.pass(LEASE.multipliedBy(2));
    boolean held = stage.exists(mutex);
    done.countDown();
    return Finding.of(locked && held, locked ? held ? "held" : "lost" : "`lock()` did not return");
  }

  /**
   * Locks this many times on a thread that lives until {@code done}. Returns whether it has all
   * these holds within a lease time.
   */
  private static boolean lockAndStay(Mutex mutex, int times, CountDownLatch done)
      throws InterruptedException {
    CountDownLatch locked = new CountDownLatch(times);
    Call.start(() -> {
      for (int i = 0; i < times; i++) {
        mutex.lock().lock();
        locked.countDown();
      }
      done.await();
    });
    return locked.await(LEASE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Finding aHolderThatDied(CaseSetup stage) throws InterruptedException {
    Mutex left = stage.open(LEASE).mutex("name");
    Mutex wanted = stage.open(LEASE).mutex("name");
    Call.start(left.lock()::lock).endsWithin(LEASE);
    long start = System.nanoTime();
    boolean locked = wanted.tryLock(LEASE.multipliedBy(3));
    double seconds = (System.nanoTime() - start) / 1e9;
    return Finding.of(
        locked, (locked ? "locked after %.1f s" : "still held after %.1f s").formatted(seconds));
  }

  private static Finding aPausedServer(CaseSetup stage) throws InterruptedException {
    Mutex mutex = stage.open(LEASE).mutex("name");
    mutex.lock().lock();
    stage.server().pause();
    CaseSetup.pass(LEASE.dividedBy(2));
    stage.server().resume();
    CaseSetup.pass(LEASE);
    boolean held = stage.exists(mutex);
    return Finding.of(held, held ? "held" : "lost");
  }
}
