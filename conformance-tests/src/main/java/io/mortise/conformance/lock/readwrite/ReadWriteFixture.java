package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;

/** The base of the tests of the read/write lock. */
abstract class ReadWriteFixture extends LockRules {
  /**
   * So long that no lease ends in a test. A waiter goes on only by a message or its own re-check.
   */
  static final Duration LONG = Duration.ofHours(1);

  /** For so long after it came from the store, readers of a service join a hold. */
  static final Duration HAND_OFFS = Duration.ofMillis(10);

  ReadWriteFixture(LockKit kit) {
    super(kit);
  }

  /** The test's lock, as another process would have it. */
  DistributedReadWriteLock rw() {
    return rw(LONG);
  }

  DistributedReadWriteLock rw(Duration lease) {
    return service(builder -> builder.leaseTime(lease)).getReadWriteLock(name);
  }

  /** A lock whose link to the store the test can break. */
  DistributedReadWriteLock rw(FaultyBackend link) {
    return service(link, builder -> builder.leaseTime(LONG)).getReadWriteLock(name);
  }

  /** The name of one of its keys: lock, queue, alive or readers. */
  String key(String part) {
    return "mortise:rw:" + part + ":{" + name + '}';
  }

  void delete(String part) {
    List<Object> unused = runOn(key(part), "return {redis.call('DEL', KEYS[1])}");
  }

  boolean areWaiting(long waiting) {
    return sizeOf(key("queue")) == waiting;
  }

  /** Waits until that many acquisitions of both modes are in the lock's queue in the store. */
  void awaitWaiting(long waiting) {
    Await.until(waiting + " acquisitions wait", () -> areWaiting(waiting));
  }

  /** Starts one more waiter, and waits until {@code last} are in the queue. */
  Contender waiting(DistributedLock side, long last) {
    Contender waiter = entering(side);
    awaitWaiting(last);
    return waiter;
  }

  static void enterAndLeave(Contender contender, DistributedLock side) {
    assertTrue(contender.result());
    contender.leave(side::unlock);
  }

  /** Whether a thread of its own gets it without waiting. The thread then releases it. */
  static boolean isFree(DistributedLock side) {
    Contender trying = Contender.start(side::tryLock);
    boolean free = trying.result();
    if (free) {
      trying.leave(side::unlock);
    }
    return free;
  }
}
