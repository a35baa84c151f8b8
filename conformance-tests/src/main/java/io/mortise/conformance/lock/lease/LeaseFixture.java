package io.mortise.conformance.lock.lease;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;

/** The base of the tests of lease requests: a link that can fail, and long leases. */
abstract class LeaseFixture extends LockRules {
  static final Duration LEASE = Duration.ofHours(1);
  static final Duration SECONDS = Duration.ofSeconds(10);

  final FaultyBackend link = new FaultyBackend(this::backend);

  LeaseFixture(LockKit kit) {
    super(kit);
  }

  LockService linked() {
    return service(link, builder -> builder.leaseTime(LEASE));
  }

  void assertFree() {
    DistributedLock other = lock();
    Await.until("the lock is free", other::tryLock);
    other.unlock();
    awaitQueued(0);
  }
}
