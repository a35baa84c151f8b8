package io.mortise.conformance.lock.handoff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server whose scripts may not publish to other slots. The service that ran a script sends its
 * messages. A waiter without a message asks every two seconds, so grants in a row show whether
 * messages came.
 */
@Rule({"L10", "L18"})
public abstract class PostedMessageRules extends LockRules {
  private static final int TIMES = 10;

  /** Half of what the waiters' own questions would take. */
  private static final Duration WITHOUT_ASKING = Duration.ofSeconds(TIMES);

  protected PostedMessageRules(LockKit kit) {
    super(kit);
  }

  /** Repeats a grant, and checks that the repetitions did not wait for a question. */
  private void byMessage(String what, Figures figures, BooleanSupplier handOver) {
    long start = System.nanoTime();
    for (int i = 0; i < TIMES; i++) {
      assertTrue(handOver.getAsBoolean(), what);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    figures.add(what, "%d in %d ms".formatted(TIMES, took.toMillis()));
    assertTrue(
        took.compareTo(WITHOUT_ASKING) < 0, () -> what + ": " + TIMES + " times took " + took);
  }

  private void awaitQueued(String family, long waiting) {
    awaitIn("mortise:" + family + "queue:{" + name + '}', waiting);
  }

  private void awaitIn(String key, long waiting) {
    Await.until("it waits in the store", () -> sizeOf(key) == waiting);
  }

  @ParameterizedTest
  @EnumSource(
      value = AnyLock.class,
      names = {"PLAIN", "FAIR", "FENCED", "WRITE", "MULTI"})
  void aReleaseWakesTheWaiterOfAnotherService(AnyLock kind, Figures figures) {
    LeasedLock mine = kind.of(service(), name);
    LeasedLock theirs = kind.of(service(), name);
    byMessage(
        "posted grants, " + kind,
        figures,
        () -> {
          mine.lock();
          Contender waiter = entering(theirs);
          awaitQueued(kind == AnyLock.WRITE ? "rw:" : "", 1);
          mine.unlock();
          boolean entered = waiter.result();
          waiter.leave(theirs::unlock);
          return entered;
        });
  }

  @Test
  void readersWakeTogether(Figures figures) {
    LeasedLock writer = service().getReadWriteLock(name).writeLock();
    List<LeasedLock> readers =
        List.of(
            service().getReadWriteLock(name).readLock(),
            service().getReadWriteLock(name).readLock());
    byMessage(
        "posted grants, two readers",
        figures,
        () -> {
          writer.lock();
          List<Contender> waiting = readers.stream().map(LockRules::entering).toList();
          awaitQueued("rw:", 2);
          writer.unlock();
          boolean entered = waiting.stream().allMatch(Contender::result);
          for (int i = 0; i < 2; i++) {
            waiting.get(i).leave(readers.get(i)::unlock);
          }
          return entered;
        });
  }

  @Test
  void aLockThatIsRetainedIsAskedFor(Figures figures) {
    Duration time = Duration.ofSeconds(5);
    DistributedLock mine = service(builder -> builder.retain(time)).getLock(name);
    DistributedLock theirs = lock();
    byMessage(
        "posted requests for a retained lock",
        figures,
        () -> {
          mine.lock();
          mine.unlock();
          theirs.lock();
          theirs.unlock();
          return true;
        });
  }

  @Test
  @SuppressWarnings("WaitNotInLoop") // whether it was signalled is the result
  void aSignalWakesAThreadOfAnotherService(Figures figures) {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    Condition awaited = theirs.newCondition("ready");
    Condition ready = mine.newCondition("ready");
    byMessage(
        "posted signals",
        figures,
        () -> {
          Contender waiter =
              contender(() -> {
                theirs.lock();
                try {
                  return awaited.await(1, TimeUnit.HOURS);
                } finally {
                  theirs.unlock();
                }
              });
          awaitIn("mortise:cond:ready:{" + name + '}', 1);
          mine.lock();
          ready.signalAll();
          mine.unlock();
          return waiter.result();
        });
  }

  @Test
  void aHolderHearsThatItsLockWasForcedOpen() throws InterruptedException {
    ConcurrentLinkedQueue<LeaseState> told = new ConcurrentLinkedQueue<>();
    LockService service =
        service(builder -> builder.leaseTime(Duration.ofHours(1)).listener(noting(told)));
    Lease lease = service.getLock(name).acquire();

    assertTrue(lock().forceUnlock());

    Await.until(
        "the loss is told long before the next renewal", () -> told.contains(LeaseState.LOST));
    assertEquals(LeaseState.LOST, lease.state());
  }

  @Test
  void permitsGoToTheNextService(Figures figures) throws InterruptedException {
    assertTrue(service().getSemaphore(name).trySetPermits(1));
    LockService mine = service();
    LockService theirs = service();
    byMessage(
        "posted grants, permits",
        figures,
        () -> {
          Lease held = mine.getSemaphore(name).tryAcquire().orElseThrow();
          Contender waiter =
              contender(() -> {
                theirs.getSemaphore(name).acquire().close();
                return true;
              });
          awaitQueued("sem:", 1);
          held.close();
          return waiter.result();
        });
  }
}
