package io.mortise.jmh.rival;

import io.mortise.jmh.contestant.Mutex;
import java.time.Duration;
import java.util.List;

/** Fixed leases and renewed leases on one lock. */
final class LeaseCases {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private LeaseCases() {}

  static List<Case> all() {
    return List.of(
        new Case(
            "A lock with a fixed lease of 1 s expires. Then the same object is locked with the"
                + " default lease of 6 s and must be held 3 s later.",
            LeaseCases::aFixedLeaseBefore),
        new Case(
            "Within a renewed hold the lock is taken with a fixed lease of 1 s and released. Two"
                + " lease times later the outer hold must still be there.",
            LeaseCases::aFixedLeaseInsideARenewedOne),
        new Case(
            "Within a hold of 60 s the lock is taken with a lease of 2 s. The hold must keep its"
                + " 60 s.",
            LeaseCases::aShortLeaseInsideALongOne));
  }

  private static Finding aFixedLeaseBefore(CaseSetup stage) throws InterruptedException {
    Mutex mutex = stage.open(SECOND.multipliedBy(6)).mutex("name");
    Call.start(() -> mutex.lockFor(SECOND)).endsWithin(SECOND);
    CaseSetup.pass(SECOND.plusMillis(500));
    mutex.lock().lock();
    double left = stage.secondsToLive(mutex);
    CaseSetup.pass(SECOND.multipliedBy(3));
    boolean held = stage.exists(mutex);
    return Finding.of(held, "%s, the lease was %.1f s".formatted(held ? "held" : "lost", left));
  }

  private static Finding aFixedLeaseInsideARenewedOne(CaseSetup stage) throws InterruptedException {
    Duration lease = SECOND.multipliedBy(3);
    Mutex mutex = stage.open(lease).mutex("name");
    mutex.lock().lock();
    mutex.lockFor(SECOND);
    mutex.lock().unlock();
    CaseSetup.pass(lease.multipliedBy(2));
    boolean held = stage.exists(mutex);
    return Finding.of(held, held ? "held" : "lost");
  }

  private static Finding aShortLeaseInsideALongOne(CaseSetup stage) {
    Mutex mutex = stage.open(SECOND.multipliedBy(6)).mutex("name");
    mutex.lockFor(SECOND.multipliedBy(60));
    mutex.lockFor(SECOND.multipliedBy(2));
    double left = stage.secondsToLive(mutex);
    return Finding.of(left > 50, "%.1f s left".formatted(left));
  }
}
