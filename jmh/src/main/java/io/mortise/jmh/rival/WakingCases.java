package io.mortise.jmh.rival;

import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Threads that wait, and the events that wake them. */
final class WakingCases {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final int CHANGES = 1000;
  private static final int NAMES = 300;

  private WakingCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "1000 times a lock goes from one client to another at a random moment. None may take"
                + " over 1 s.",
            WakingCases::changes),
        new Case(
            "A held lock's key is deleted while another client waits. The waiter must have the"
                + " lock within 5 s, not when the lease of 10 s would have ended.",
            WakingCases::aDeletedKey),
        new Case(
            "A waiter's connections are down for 1 s, in which the lock is freed (lease 10 s). It"
                + " must have the lock within 5 s of being connected again.",
            WakingCases::aMissedMessage),
        new Case(
            "One client waits for 300 held locks at once. No `lock()` may fail.",
            WakingCases::manyNames));
  }

  private static Finding changes(CaseSetup stage) throws InterruptedException {
    Mutex mine = stage.open(LEASE).mutex("name");
    Mutex theirs = stage.open(LEASE).mutex("name");
    SynchronousQueue<Long> locked = new SynchronousQueue<>();
    Random random = new Random(1);
    int slow = 0;
    double longest = 0;
    for (int i = 0; i < CHANGES && slow < 3; i++) {
      mine.lock().lock();
      Call call =
          Call.start(() -> {
            theirs.lock().lock();
            long moment = System.nanoTime();
            theirs.lock().unlock();
            locked.put(moment);
          });
      LockSupport.parkNanos(random.nextInt(3_000_000));
      long freed = System.nanoTime();
      mine.lock().unlock();
      double seconds = (locked.take() - freed) / 1e9;
      call.endsWithin(LEASE);
      slow += seconds > 1 ? 1 : 0;
      longest = Math.max(longest, seconds);
    }
    return Finding.of(slow == 0, "%d slow, the longest took %.1f s".formatted(slow, longest));
  }

  private static Finding aDeletedKey(CaseSetup stage) throws InterruptedException {
    Mutex held = stage.open(LEASE).mutex("name");
    held.lock().lock();
    Mutex wanted = stage.open(LEASE).mutex("name");
    Call call = Call.start(() -> pair(wanted));
    CaseSetup.settle();
    long start = System.nanoTime();
    stage.server().command("DEL", held.key());
    return waited(call, start);
  }

  private static Finding aMissedMessage(CaseSetup stage) throws InterruptedException {
    Mutex held = stage.open(LEASE).mutex("name");
    held.lock().lock();
    Mutex wanted = stage.openOverLink(LEASE).mutex("name");
    Call call = Call.start(() -> pair(wanted));
    CaseSetup.settle();
    stage.link().refuse();
    stage.link().cut();
    held.lock().unlock();
    CaseSetup.pass(Duration.ofSeconds(1));
    long start = System.nanoTime();
    stage.link().resume();
    return waited(call, start);
  }

  private static Finding waited(Call call, long start) throws InterruptedException {
    call.endsWithin(LEASE.multipliedBy(2));
    double seconds = call.secondsSince(start);
    boolean locked = call.hasEnded() && !call.hasFailed();
    return Finding.of(
        locked && seconds < 5,
        "%s after %.1f s".formatted(locked ? "locked" : call.outcome(), seconds));
  }

  private static Finding manyNames(CaseSetup stage) throws InterruptedException {
    LockClient holder = stage.open(Duration.ofSeconds(30));
    LockClient waiter = stage.openOverLink(Duration.ofSeconds(30));
    List<Mutex> held = mutexes(holder);
    held.forEach(mutex -> mutex.lock().lock());
    CountDownLatch threads = new CountDownLatch(NAMES);
    List<Call> calls = new ArrayList<>();
    for (Mutex wanted : mutexes(waiter)) {
      calls.add(
          Call.start(() -> {
            threads.countDown();
            pair(wanted);
          }));
    }
    threads.await();
    CaseSetup.pass(LEASE);
    int connections = stage.link().connections();
    held.forEach(mutex -> mutex.lock().unlock());
    CaseSetup.pass(Duration.ofSeconds(2));
    long failed = calls.stream().filter(Call::hasFailed).count();
    long waiting = calls.stream().filter(call -> !call.hasEnded()).count();
    String how = calls.stream().filter(Call::hasFailed).findFirst().map(Call::outcome).orElse("");
    return Finding.of(
        failed + waiting == 0,
        "%d failed%s, %d still wait when all are free, %d connections"
            .formatted(
                failed, how.isEmpty() ? "" : " (the first " + how + ")", waiting, connections));
  }

  private static List<Mutex> mutexes(LockClient client) {
    return IntStream.range(0, NAMES).mapToObj(i -> client.mutex("name-" + i)).toList();
  }

  private static void pair(Mutex mutex) {
    mutex.lock().lock();
    mutex.lock().unlock();
  }
}
