package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/**
 * How long a service that hands leases of a lock or of permits off keeps others waiting, in time
 * that stands.
 */
class LeaseTurnTest implements BackendUnderTest {
  private static final Duration HAND_OFFS = Duration.ofMillis(10);
  private static final Duration SECTION = Duration.ofMillis(1);

  /** The requests of the busy service that are in the queue before the other one. */
  private static final int AHEAD = 4;

  private final InMemoryStore store = InMemoryStore.withMovableTime();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  private LockService service() {
    return LockService.builder().backend(store.backend()).executor(Runnable::run).open();
  }

  @Test
  @Rule("L12")
  void aWaiterOfAnotherServiceWaitsForTenMillisecondsAndOneSectionLonger() {
    try (LockService one = service();
        LockService other = service()) {
      assertServed(one.getLock("turns"), other.getLock("turns"));
    }
  }

  @Test
  @Rule("L12")
  void aFairLeaseOfTheSameServiceWaitsNoLonger() {
    try (LockService one = service()) {
      assertServed(one.getLock("turns"), one.getFairLock("turns"));
    }
  }

  @Test
  @Rule({"S2", "L12"})
  void aRequestForPermitsOfAnotherServiceWaitsNoLonger() {
    try (LockService one = service();
        LockService other = service()) {
      DistributedSemaphore busy = one.getSemaphore("turns", 1);
      assertServed(
          busy.async(1),
          other.getSemaphore("turns").async(1),
          () -> one.find("turns", 1).get(0).waiters().size());
    }
  }

  private void assertServed(DistributedLock busy, DistributedLock other) {
    assertServed(busy.async(), other.async(), busy::getQueueLength);
  }

  private void assertServed(AsyncLock busy, AsyncLock other, IntSupplier waiting) {
    Lease holder = busy.acquire().join();
    store.advance(HAND_OFFS); // from here on its requests ask the store
    List<CompletableFuture<Lease>> requests = new ArrayList<>();
    for (int i = 1; i <= AHEAD; i++) {
      requests.add(busy.acquire());
      awaitWaiting(waiting, i);
    }
    CompletableFuture<Lease> patient = other.acquire();
    awaitWaiting(waiting, AHEAD + 1);

    int sections = 0;
    while (!patient.isDone() && sections < 100) {
      requests.add(busy.acquire());
      store.advance(SECTION);
      holder.close();
      sections++;
      Await.until(
          "the next has it",
          () -> patient.isDone() || requests.stream().anyMatch(CompletableFuture::isDone));
      holder = next(requests, holder);
    }

    int inOrder = 1 + AHEAD;
    int most = inOrder + (int) HAND_OFFS.dividedBy(SECTION) + 1;
    int seen = sections;
    assertTrue(seen > inOrder, () -> seen + " sections: nothing was handed off");
    assertTrue(seen <= most, () -> seen + " sections, and not " + most);
  }

  private static Lease next(List<CompletableFuture<Lease>> requests, Lease last) {
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).isDone()) {
        return requests.remove(i).join();
      }
    }
    return last;
  }

  private static void awaitWaiting(IntSupplier waiting, int wanted) {
    Await.until(wanted + " wait", () -> waiting.getAsInt() == wanted);
  }
}
