package io.mortise.conformance.lock.permit;

import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.LockKit;

import io.mortise.DistributedCountDownLatch;
import io.mortise.LockService;
import java.util.concurrent.CompletableFuture;

/** What the tests of the count-down latch share. */
abstract class LatchFixture extends SyncFixture {
  LatchFixture(LockKit kit) {
    super(kit, "latch");
  }

  /** The test's latch, as another process would have it. */
  DistributedCountDownLatch latch() {
    return patient().getCountDownLatch(name);
  }

  /** The same behind a link that the test can spoil. */
  DistributedCountDownLatch latch(FaultyBackend link) {
    LockService service = service(link, builder -> builder.leaseTime(LONG));
    return service.getCountDownLatch(name);
  }

  /** One that waits, the last of so many. */
  CompletableFuture<Void> waiting(DistributedCountDownLatch latch, long last) {
    CompletableFuture<Void> waiter = latch.awaitAsync();
    awaitWaiting(last);
    return waiter;
  }

  /** A thread that waits, the last of so many. */
  Contender waitingThread(DistributedCountDownLatch latch, long last) {
    Contender waiter =
        contender(() -> {
          latch.await();
          return false; // nothing to leave
        });
    awaitWaiting(last);
    return waiter;
  }
}
