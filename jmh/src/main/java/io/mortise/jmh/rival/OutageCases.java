package io.mortise.jmh.rival;

import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.jmh.contestant.LockClient;
import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Commands that are lost, late or without a reply. */
final class OutageCases {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private OutageCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "`tryLock()` is held up on its way until the caller has given up, and is then"
                + " executed. No client has the lock, so it must be free again within 2 s, not"
                + " after the lease of 6 s.",
            OutageCases::aLateCommand),
        new Case(
            "The connection breaks after `lock()` was executed and before its reply. Then comes"
                + " `unlock()` if `lock()` returned. The lock must be free within 2 s (lease 6 s).",
            OutageCases::aLostReply),
        new Case(
            "The same in the mode for servers with replicas, where the library has one. One"
                + " `lock()` must be one hold.",
            OutageCases::aLostReplyWithReplicas),
        new Case(
            "No connection can be made. `tryLock(1 s)` must end within 3.5 s: its deadline, the"
                + " command timeout of 2 s, and a margin.",
            OutageCases::noConnection),
        new Case(
            "A client is closed while a thread waits in `lock()`. The call must end within 2 s"
                + " (lease 6 s).",
            OutageCases::closedWhileWaiting));
  }

  private static Finding aLateCommand(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.openOverLink(LEASE);
    CaseSetup.warmUp(client);
    Mutex mutex = client.mutex("name");
    stage.link().stall(Direction.REQUESTS);
    stage.server().resetCounts();
    Call call = Call.start(() -> mutex.lock().tryLock());
    call.endsWithin(PATIENCE);
    stage.link().resume();
    double seen = stage.lastSeen(mutex, LEASE.plus(SECOND));
    return Finding.of(
        seen < 2,
        "%s, locked for %.1f s, %d scripts came late"
            .formatted(call.outcome(), seen, stage.scripts()));
  }

  private static Finding aLostReply(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.openOverLink(LEASE);
    CaseSetup.warmUp(client);
    Mutex mutex = client.mutex("name");
    Call call =
        lockWithoutReply(
            stage,
            mutex,
            () -> {
              mutex.lock().lock();
              mutex.lock().unlock();
            });
    call.endsWithin(PATIENCE);
    double seen = stage.lastSeen(mutex, LEASE.plus(SECOND));
    return Finding.of(
        seen < 2, "`lock()` %s, locked for %.1f s more".formatted(call.outcome(), seen));
  }

  private static Finding aLostReplyWithReplicas(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.openReplicatedOverLink(LEASE);
    CaseSetup.warmUp(client);
    Mutex mutex = client.mutex("name");
    AtomicInteger holds = new AtomicInteger();
    Call call =
        lockWithoutReply(
            stage,
            mutex,
            () -> {
              mutex.lock().lock();
              holds.set(mutex.holdCount());
              mutex.lock().unlock();
            });
    call.endsWithin(PATIENCE);
    CaseSetup.settle();
    boolean held = stage.exists(mutex);
    return Finding.of(
        holds.get() == 1 && !held,
        "%s, hold count %d, %s after one `unlock()`"
            .formatted(call.outcome(), holds.get(), held ? "still held" : "free"));
  }

  /** Lets the first command through, loses its reply, and breaks the links. */
  private static Call lockWithoutReply(CaseSetup stage, Mutex mutex, Call.Action action)
      throws InterruptedException {
    stage.link().dropReplies();
    Call call = Call.start(action);
    for (int i = 0; i < 500 && !stage.exists(mutex); i++) {
      Thread.sleep(2);
    }
    stage.link().cut();
    stage.link().resume();
    return call;
  }

  private static Finding noConnection(CaseSetup stage) throws InterruptedException {
    LockClient client = stage.openOverLink(LEASE);
    CaseSetup.warmUp(client);
    Mutex mutex = client.mutex("name");
    stage.link().refuse();
    stage.link().cut();
    long start = System.nanoTime();
    Call call = Call.start(() -> mutex.tryLock(SECOND));
    call.endsWithin(PATIENCE);
    double seconds = call.secondsSince(start);
    return Finding.of(seconds < 3.5, "%s after %.1f s".formatted(call.outcome(), seconds));
  }

  private static Finding closedWhileWaiting(CaseSetup stage) throws InterruptedException {
    stage.open(LEASE).mutex("name").lock().lock();
    LockClient closing = stage.open(LEASE);
    Mutex wanted = closing.mutex("name");
    Call call = Call.start(wanted.lock()::lock);
    CaseSetup.settle();
    long start = System.nanoTime();
    closing.close();
    call.endsWithin(LEASE.multipliedBy(2));
    double seconds = call.secondsSince(start);
    return Finding.of(
        call.hasEnded() && seconds < 2, "%s after %.1f s".formatted(call.outcome(), seconds));
  }
}
