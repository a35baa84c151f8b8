package io.mortise.conformance.lock.permit;

import io.mortise.DistributedCountDownLatch;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import java.util.concurrent.CompletableFuture;

/** The base of the tests of the count-down latch. */
abstract class LatchFixture extends SyncFixture {
  LatchFixture(LockKit kit) {
    super(kit, "latch");
  }

  /** The test's latch, as another process would have it. */
  DistributedCountDownLatch latch() {
    return patient().getCountDownLatch(name);
  }

  /** The same behind a link that the test can break. */
  DistributedCountDownLatch latch(FaultyBackend link) {
    LockService service = service(link, builder -> builder.leaseTime(LONG));
    return service.getCountDownLatch(name);
  }

  /** Starts one more waiter, without a thread, and waits until {@code last} are in the queue. */
  CompletableFuture<Void> waiting(DistributedCountDownLatch latch, long last) {
    CompletableFuture<Void> waiter = latch.awaitAsync();
    awaitWaiting(last);
    return waiter;
  }

  /** Starts one more waiter, a thread, and waits until {@code last} are in the queue. */
  Contender waitingThread(DistributedCountDownLatch latch, long last) {
    Contender waiter =
        contender(() -> {
          latch.await();
          return false; // holds nothing that it must release
        });
    awaitWaiting(last);
    return waiter;
  }
}
