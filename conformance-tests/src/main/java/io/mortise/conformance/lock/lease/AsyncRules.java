package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Acquiring without a thread. A lease request is served or withdrawn, and leaves nothing behind.
 */
public abstract class AsyncRules extends LeaseFixture {
  protected AsyncRules(LockKit kit) {
    super(kit);
  }

  private AsyncLock async() {
    return service(builder -> builder.leaseTime(LEASE)).getLock(name).async();
  }

  @Test
  @Rule({"L1", "W18"})
  void twoRequestsOfOneThreadExcludeEachOtherAndItsOwnLock() {
    DistributedLock lock = lock();
    Lease first = Await.value(lock.async().acquire());
    assertEquals(Optional.empty(), Await.value(lock.async().tryAcquire()));
    assertFalse(lock.tryLock());
    assertEquals(0, lock.getHoldCount());

    first.close();

    assertTrue(lock.tryLock());
    assertEquals(Optional.empty(), Await.value(lock.async().tryAcquire()));
    lock.unlock();
    assertTrue(Await.value(lock.async().tryAcquire()).isPresent());
  }

  @Test
  @Rule("L10")
  void aRequestGetsTheLockInOrderWithWaitingThreads() {
    DistributedLock holder = lock();
    holder.lock();
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 6; i += 2) {
      int number = i;
      all.add(async().acquire().thenCompose(lease -> noted(order, number, lease)));
      awaitQueued(i + 1);
      DistributedLock theirs = lock();
      Contender thread = entering(theirs);
      awaitQueued(i + 2);
      all.add(
          CompletableFuture.runAsync(
              () -> passOn(thread, theirs, order, number + 1), task -> new Thread(task).start()));
    }

    holder.unlock();

    all.forEach(Await::value);
    assertEquals(List.of(0, 1, 2, 3, 4, 5), order);
    assertFree();
  }

  private static CompletableFuture<Void> noted(List<Integer> order, int number, Lease lease) {
    order.add(number);
    return lease.releaseAsync();
  }

  private static void passOn(
      Contender thread, DistributedLock lock, List<Integer> order, int number) {
    assertTrue(thread.result());
    order.add(number);
    thread.leave(lock::unlock);
  }

  @Test
  @Rule({"L4", "L10", "L15"})
  void aCancelledRequestLeavesTheQueueAndTheNextOneIsServed() {
    DistributedLock holder = lock();
    holder.lock();
    AsyncLock lock = async();
    CompletableFuture<Lease> cancelled = lock.acquire();
    awaitQueued(1);
    CompletableFuture<Lease> next = async().acquire();
    awaitQueued(2);

    assertTrue(cancelled.cancel(false));

    awaitQueued(1);
    holder.unlock();
    Await.value(next).close();
    assertFree();
  }

  @Test
  @Rule({"L5", "L15"})
  void aRequestWhoseFutureTimesOutIsWithdrawn() {
    DistributedLock holder = lock();
    holder.lock();
    CompletableFuture<Lease> impatient = async().acquire().orTimeout(50, TimeUnit.MILLISECONDS);
    Await.until("the request timed out", impatient::isDone);
    awaitQueued(0);
    holder.unlock();
    assertFree();
  }

  @Test
  @Rule({"L10", "L14", "L15"})
  void aLeaseThatArrivesAfterTheCancellationIsGivenBack() {
    HeldCall taking = link.hold("acquire");
    CompletableFuture<Lease> cancelled = linked().getLock(name).async().acquire();
    taking.arrive();
    assertFalse(lock().tryLock());

    cancelled.cancel(false);

    assertFree();
    taking.reply();
    assertFree();
  }

  @Test
  @Rule({"L14", "A4"})
  void acquiringIsRefusedIfItArrivesAfterItsCancellation() {
    HeldCall late = link.hold("acquire");
    HeldCall withdrawal = link.hold("leave");
    CompletableFuture<Lease> cancelled = linked().getLock(name).async().acquire();
    cancelled.cancel(false);
    withdrawal.pass();
    assertEquals("TOO_LATE", late.arrive().get(0));
    late.reply();
    assertFree();
  }

  @Test
  @Rule("L5")
  void aTimedRequestEndsInTimeAndIsOutOfTheQueue() {
    DistributedLock holder = lock();
    holder.lock();
    CompletableFuture<Optional<Lease>> timed = async().tryAcquire(SECOND);
    awaitQueued(1);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertEquals(Optional.empty(), timed.join());
    awaitQueued(0);
    holder.unlock();
  }

  @Test
  @Rule("L10")
  void aRequestWithALostGrantMessageIsServedAfterItsNextCheck() {
    DistributedLock holder = lock();
    holder.lock();
    CompletableFuture<Lease> waiting = linked().getLock(name).async().acquire();
    awaitQueued(1);
    link.mail().set(FaultyMail.Fate.LOST);

    holder.unlock();

    passTimeUntil("the request asks without a message", SECONDS, waiting::isDone);
    Await.value(waiting).close();
  }

  @Test
  @Rule({"L5", "L14"})
  void aStoreOutOfReachFailsARequestAsItFailsAThread() {
    LockService service = linked();
    link.set(Link.DOWN);
    AsyncLock lock = service.getLock(name).async();
    assertInstanceOf(BackendUnavailableException.class, Await.failure(lock.acquire()));
    assertInstanceOf(BackendUnavailableException.class, Await.failure(lock.tryAcquire()));
    CompletableFuture<Optional<Lease>> timed = lock.tryAcquire(SECOND);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertInstanceOf(BackendUnavailableException.class, Await.failure(timed));
    link.set(Link.UP);
    assertTrue(Await.value(lock.tryAcquire(SECOND)).isPresent());
  }

  @Test
  @Rule("L14")
  void anAttemptWhoseReplyIsLostIsWithdrawnAndOneThatWaitsAsksAgain() {
    AsyncLock lock = linked().getLock(name).async();
    link.set("acquire", Link.REPLY_LOST, 1);
    assertInstanceOf(OutcomeUnknownException.class, Await.failure(lock.tryAcquire()));
    assertFree();
    link.set("acquire", Link.REPLY_LOST, 1);
    CompletableFuture<Lease> waiting = lock.acquire();
    passTimeUntil("the request is repeated", SECONDS, waiting::isDone);
    Await.value(waiting).close();
    assertFree();
  }

  @Test
  @Rule({"L10", "L15"})
  void closingTheServiceEndsWhatWaits() {
    DistributedLock holder = lock();
    holder.lock();
    LockService closing = service();
    CompletableFuture<Lease> waiting = closing.getLock(name).async().acquire();
    awaitQueued(1);
    closing.close();
    assertInstanceOf(LockServiceClosedException.class, Await.failure(waiting));
    awaitQueued(0);
    holder.unlock();
    assertFree();
  }

  @Test
  @Rule("L4")
  void anInterruptWithdrawsABlockingRequest() {
    DistributedLock holder = lock();
    holder.lock();
    DistributedLock theirs = lock();
    Contender waiter = contender(() -> theirs.acquire().isValid());
    awaitQueued(1);
    waiter.interrupt();
    assertInstanceOf(InterruptedException.class, waiter.failure());
    awaitQueued(0);
    holder.unlock();
    assertFree();
  }

  @Test
  @Rule("L2")
  void aThreadThatHoldsTheLockIsRefusedBecauseItWouldWaitForItself() throws InterruptedException {
    DistributedLock lock = lock();
    lock.lock();
    assertThrows(IllegalStateException.class, lock::acquire);
    assertThrows(IllegalStateException.class, () -> lock.tryAcquire(Duration.ZERO));
    lock.unlock();
    try (Lease lease = lock.acquire()) {
      assertTrue(lease.isValid());
      assertEquals(Optional.empty(), lock.tryAcquire(Duration.ZERO));
    }
    assertFree();
  }

  @Test
  @Rule("L15")
  void noThreadWaitsForTwoThousandThatWait(Figures figures) {
    DistributedLock holder = lock();
    holder.lock();
    AsyncLock lock = async();
    int before = threads();
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      all.add(lock.acquire());
    }
    Await.until("all of them wait", Duration.ofMinutes(1), () -> isQueued(2_000));
    int threads = threads() - before;
    figures.add(
        "threads of the JVM while 2,000 acquisitions wait", Integer.toString(before + threads));
    assertTrue(threads < 20, () -> threads + " more threads for 2,000 acquisitions that wait");
    all.subList(0, 1_950).forEach(each -> each.cancel(false));
    List<CompletableFuture<Void>> served = new ArrayList<>();
    all.subList(1_950, 2_000).forEach(each -> served.add(each.thenCompose(Lease::releaseAsync)));

    holder.unlock();

    served.forEach(each -> Await.until("served", Duration.ofSeconds(60), each::isDone));
    Await.until("no thread waits", Duration.ofSeconds(60), () -> isQueued(0));
  }

  /** The threads of this JVM but those of proxies, which a test has put before its servers. */
  private static int threads() {
    return (int)
        Thread.getAllStackTraces().keySet().stream()
            .filter(each -> !each.getName().contains("proxy"))
            .count();
  }
}
