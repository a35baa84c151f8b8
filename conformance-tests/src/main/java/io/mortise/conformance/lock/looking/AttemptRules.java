package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.Kind;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.ToldEvents;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What listeners are told of attempts: the wait, and how each attempt ended. */
@Rule("L23")
public abstract class AttemptRules extends LockRules {
  private static final String ORDER =
      "(waiting, )?(acquired (STORE|HANDED|GRANTED), (released|lost (FORCED|KEY_GONE))|BUSY|TIMED_OUT|CANCELLED)";

  private final ToldEvents told = new ToldEvents();

  protected AttemptRules(LockKit kit) {
    super(kit);
  }

  private LockService listenedTo() {
    return service(builder -> builder.listener(told));
  }

  private void awaitTold(String... events) {
    Await.until("the events are told", () -> told.all().size() >= events.length);
    assertEquals(List.of(events), told.all());
  }

  /**
   * Queued in the store, and the reply that says so has arrived: from here on the end is certain.
   */
  private void awaitToldThatItWaits() {
    awaitQueued(1);
    Await.until("the wait is told", () -> String.join(",", told.all()).endsWith("waiting"));
  }

  @Test
  void anAttemptThatGetsAFreeLockNeverWaits() {
    DistributedLock lock = listenedTo().getLock(name);

    lock.lock();
    lock.lock(); // nested, so not told
    lock.unlock();
    lock.unlock();

    assertEquals(List.of("acquired STORE", "released"), told.all());
  }

  @Test
  void anAttemptThatIsNotToWaitIsBusy() {
    LockService service = listenedTo();
    DistributedLock other = lock();
    other.lock();

    assertFalse(service.getLock(name).tryLock());
    assertTrue(Await.value(service.getLock(name).async().tryAcquire()).isEmpty());

    awaitTold("BUSY", "BUSY");
    other.unlock();
  }

  @Test
  void anAttemptWhoseTimeIsOverHasTimedOut() {
    DistributedLock lock = listenedTo().getLock(name);
    DistributedLock other = lock();
    other.lock();
    Contender waiting = contender(() -> lock.tryLock(1, TimeUnit.SECONDS));
    awaitToldThatItWaits();
    passTime(Duration.ofSeconds(1));

    assertFalse(waiting.result());

    awaitTold("waiting", "TIMED_OUT");
    other.unlock();
  }

  @Test
  void anInterruptedThreadIsToldAsInterrupted() {
    LockService service = listenedTo();
    DistributedLock lock = service.getLock(name);
    DistributedLock other = lock();
    other.lock();
    Contender thread = contender(() -> lock.tryLock(1, TimeUnit.HOURS));
    awaitToldThatItWaits();
    thread.interrupt();
    assertInstanceOf(InterruptedException.class, thread.failure());
    awaitTold("waiting", "INTERRUPTED");

    Contender leasing = contender(() -> lock.acquire().isValid());
    awaitToldThatItWaits();
    leasing.interrupt();
    assertInstanceOf(InterruptedException.class, leasing.failure());

    awaitTold("waiting", "INTERRUPTED", "waiting", "INTERRUPTED");
    other.unlock();
  }

  @Test
  void aCancelledFutureIsToldAsCancelled() {
    LockService service = listenedTo();
    DistributedLock other = lock();
    other.lock();
    CompletableFuture<Lease> future = service.getLock(name).async().acquire();
    awaitToldThatItWaits();

    assertTrue(future.cancel(false));

    awaitTold("waiting", "CANCELLED");
    other.unlock();
  }

  @Test
  @Rule("L17")
  void anAttemptThatAClosedServiceEndsHasFailed() {
    LockService service = listenedTo();
    DistributedLock lock = service.getLock(name);
    DistributedLock other = lock();
    other.lock();
    Contender thread = contender(() -> lock.tryLock(1, TimeUnit.HOURS));
    awaitToldThatItWaits();

    service.close();

    assertInstanceOf(LockServiceClosedException.class, thread.failure());
    awaitTold("waiting", "FAILED");
    assertInstanceOf(LockServiceClosedException.class, told.failures().get(0));
    assertThrows(LockServiceClosedException.class, lock::lock);
    assertEquals(List.of("waiting", "FAILED", "FAILED"), told.all());
    other.unlock();
  }

  @Test
  @Rule("L11")
  void aHoldFromTheQueueIsToldAsGranted() {
    DistributedLock lock = listenedTo().getLock(name);
    DistributedLock other = lock();
    other.lock();
    Contender thread = contender(() -> enterAndLeave(lock));
    awaitToldThatItWaits();

    other.unlock();

    assertTrue(thread.result());
    awaitTold("waiting", "acquired GRANTED", "released");
  }

  @Test
  void aLossIsToldWithItsCause() {
    DistributedLock lock = listenedTo().getLock(name);
    lock.lock();
    assertTrue(lock().forceUnlock());
    awaitTold("acquired STORE", "lost FORCED");
    assertThrows(LeaseLostException.class, lock::unlock);

    lock.lock();
    deleteKey();
    assertThrows(LeaseLostException.class, lock::unlock);

    awaitTold("acquired STORE", "lost FORCED", "acquired STORE", "lost KEY_GONE");
  }

  @Test
  @Rule("L9")
  void renewalsAreTold() {
    DistributedLock lock =
        service(builder -> builder.listener(told).leaseTime(SECOND.multipliedBy(3))).getLock(name);
    lock.lock();

    passTimeUntil("a renewal is told", Duration.ofSeconds(30), () -> !told.renewals().isEmpty());

    assertTrue(told.renewals().get(0));
    lock.unlock();
  }

  @Test
  void theKindIsTold() throws InterruptedException {
    LockService service = listenedTo();
    List<DistributedLock> locks =
        List.of(
            service.getLock(name),
            service.getFairLock(name),
            service.getFencedLock(name),
            service.getReadWriteLock(name).readLock(),
            service.getReadWriteLock(name).writeLock());
    assertTrue(locks.stream().allMatch(AttemptRules::enterAndLeave));
    assertTrue(service.getSemaphore(name).trySetPermits(1));
    service.getSemaphore(name).acquire(1).close();
    DistributedCountDownLatch latch = service.getCountDownLatch(name);
    assertTrue(latch.trySetCount(0));
    latch.await();

    Await.until("all are told", () -> told.attempts().size() == Kind.values().length);
    List<Kind> kinds = told.attempts().stream().map(LockAttempt::kind).sorted().toList();
    assertEquals(List.of(Kind.values()), kinds);
    Await.until("the latch is told", () -> told.all().contains("OPEN"));
    assertTrue(told.attempts().stream().allMatch(attempt -> attempt.name().equals(name)));
  }

  private static boolean enterAndLeave(DistributedLock lock) {
    lock.lock();
    lock.unlock();
    return true;
  }

  /** Keeps its own object with each attempt, and throws after that. */
  private static final class Span implements LockListener {
    private final List<Object> seen = new CopyOnWriteArrayList<>();

    @Override
    public void waiting(LockAttempt attempt) {
      attempt.setContext(this, this);
      throw new IllegalStateException("on purpose, at waiting");
    }

    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      seen.add(String.valueOf(attempt.context(this) == this));
    }

    @Override
    public void released(LockHold hold) {
      seen.add(String.valueOf(hold.attempt().context(this) == this));
    }
  }

  @Test
  void eachListenerKeepsItsOwnContextAndNoneSpoilsAnother() {
    Span first = new Span();
    Span second = new Span();
    LockService service =
        service(builder -> builder.listener(first).listener(second).listener(told));
    DistributedLock other = lock();
    other.lock();
    Contender thread = contender(() -> enterAndLeave(service.getLock(name)));
    awaitToldThatItWaits();
    other.unlock();
    assertTrue(thread.result());

    awaitTold("waiting", "acquired GRANTED", "released");
    assertEquals(List.of("true", "true"), first.seen);
    assertEquals(List.of("true", "true"), second.seen);
  }

  @Test
  void theEventsOfEachAttemptComeInOrderUnderContention() throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    closeLast(pool::shutdown);
    LockService service = service(builder -> builder.listener(told).executor(pool));
    LockService forcing = service();

    Crew.run(
        4,
        number -> {
          DistributedLock lock = service.getLock(name);
          for (int i = 0; i < 40; i++) {
            attempt(lock, number, i);
            if (number == 0 && i % 10 == 9) {
              boolean unused = forcing.getLock(name).forceUnlock();
            }
          }
        });

    Await.until(
        () -> "160 attempts have their ends, but of " + told.rows().size() + ": " + unfinished(),
        Await.patience(),
        () -> told.rows().size() == 160 && unfinished().isEmpty());
  }

  private List<List<String>> unfinished() {
    return told.rows().stream().filter(row -> !String.join(", ", row).matches(ORDER)).toList();
  }

  private static void attempt(DistributedLock lock, int number, int i) throws InterruptedException {
    try {
      if (number % 2 == 0 && lock.tryLock(i % 3, TimeUnit.MILLISECONDS)) {
        lock.unlock();
      } else if (number % 2 == 1) {
        lock.acquire().close();
      }
    } catch (LeaseLostException e) {
      // it was forced open
    }
  }
}
