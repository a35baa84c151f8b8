package io.mortise.jmh.rival;

import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that are interrupted while they lock. */
final class InterruptCases {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final int ROUNDS = 200;

  private InterruptCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "200 calls of `lockInterruptibly()` on free locks are interrupted while their command"
                + " is out. Two lease times later no lock may be held, however the calls ended.",
            InterruptCases::whileACommandIsOut),
        new Case(
            "100 calls of `lock()` on free locks are interrupted while their command is out. The"
                + " JDK's `lock()` then locks, returns and keeps the flag.",
            InterruptCases::lockWhileACommandIsOut),
        new Case(
            "A thread that waits in `lock()` is interrupted twice, then the lock is freed. It must"
                + " return with the lock and the flag.",
            InterruptCases::whileWaiting));
  }

  private static Finding whileACommandIsOut(CaseSetup stage) throws InterruptedException {
    LockClient client = slowClient(stage);
    List<String> keys = new ArrayList<>();
    int thrown = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Mutex mutex = client.mutex("interrupted-" + i);
      Round round = new Round(mutex.lock()::lockInterruptibly);
      round.run(mutex);
      keys.add(mutex.key());
      thrown += round.failed ? 1 : 0;
    }
    stage.link().resume();
    CaseSetup.pass(LEASE.multipliedBy(2));
    long held = stage.count(keys);
    return Finding.of(
        held == 0, "%d held, %d calls threw, the others locked".formatted(held, thrown));
  }

  private static Finding lockWhileACommandIsOut(CaseSetup stage) throws InterruptedException {
    LockClient client = slowClient(stage);
    int interrupted = 0;
    int right = 0;
    int thrown = 0;
    for (int i = 0; i < ROUNDS / 2; i++) {
      Mutex mutex = client.mutex("interrupted-" + i);
      Round round = new Round(mutex.lock()::lock);
      if (round.run(mutex)) {
        interrupted++;
        right += round.flag && !round.failed ? 1 : 0;
        thrown += round.failed ? 1 : 0;
      }
    }
    return Finding.of(
        right == interrupted,
        "%d of %d locked and kept the flag, %d threw".formatted(right, interrupted, thrown));
  }

  private static Finding whileWaiting(CaseSetup stage) throws InterruptedException {
    Mutex held = stage.open(LEASE).mutex("name");
    held.lock().lock();
    Mutex wanted = stage.open(LEASE).mutex("name");
    AtomicBoolean flag = new AtomicBoolean();
    Call call =
        Call.start(() -> {
          wanted.lock().lock();
          flag.set(Thread.interrupted());
          wanted.lock().unlock();
        });
    for (int i = 0; i < 2; i++) {
      CaseSetup.settle();
      call.interrupt();
    }
    CaseSetup.settle();
    held.lock().unlock();
    call.endsWithin(LEASE);
    String told = flag.get() ? "with" : "without";
    return call.hasFailed()
        ? Finding.of(false, call.outcome())
        : Finding.of(
            call.hasEnded() && flag.get(), "%s, %s the flag".formatted(call.outcome(), told));
  }

  /** A client whose replies take 10 ms, so that an interrupt arrives while a command is out. */
  private static LockClient slowClient(CaseSetup stage) {
    LockClient client = stage.openOverLink(LEASE);
    CaseSetup.warmUp(client);
    stage.link().delay(Direction.REPLIES, Duration.ofMillis(10));
    return client;
  }

  /** One call that is interrupted while its command is out, and the unlock if it locked. */
  private static final class Round {
    private final Call.Action acquire;
    private volatile long end;
    private volatile boolean flag;
    private volatile boolean failed;

    Round(Call.Action acquire) {
      this.acquire = acquire;
    }

    /** Runs the call. Returns whether the interrupt came before its end. */
    boolean run(Mutex mutex) throws InterruptedException {
      Call call = Call.start(() -> acquire(mutex));
      Thread.sleep(4);
      call.interrupt();
      long interrupt = System.nanoTime();
      call.endsWithin(LEASE);
      return end - interrupt > 0;
    }

    private void acquire(Mutex mutex) throws Exception {
      try {
        acquire.run();
      } catch (Exception e) {
        failed = true;
        throw e;
      } finally {
        end = System.nanoTime();
        flag = Thread.interrupted();
      }
      mutex.lock().unlock();
    }
  }
}
