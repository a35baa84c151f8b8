package io.mortise.conformance.lock.multi;

import io.mortise.DistributedLock;
import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;

/** Pairs of locks for the tests of multi-locks, as one process has them. */
abstract class MultiFixture extends LockRules {
  static final Duration LONG = Duration.ofSeconds(30);

  MultiFixture(LockKit kit) {
    super(kit);
  }

  /** Two locks of two services of one process. */
  record Two(DistributedLock a, DistributedLock b) {
    MultiLock both() {
      return MultiLock.of(a, b);
    }

    boolean isAnyLocked() {
      return a.isLocked() || b.isLocked();
    }
  }

  Two two() {
    return new Two(lock(), service().getLock(nameB()));
  }

  /** Two locks of one name, under two key prefixes. */
  Two namesakes() {
    DistributedLock elsewhere =
        service(builder -> builder.keyPrefix("mortise:elsewhere:")).getLock(name);
    return new Two(lock(), elsewhere);
  }

  String nameB() {
    return name + "-b";
  }

  static Contender.Way locking(LeasedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }
}
