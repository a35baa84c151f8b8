package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Handles as values: which are equal, and their methods that take durations. */
public abstract class HandleRules extends LockRules {
  private static final Duration LEASE = Duration.ofMinutes(10);

  protected HandleRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L6")
  void handlesOfOneLockOfOneServiceAreEqual() {
    LockService mine = service();
    LockService theirs = service();

    assertEquals(mine.getLock(name), mine.getLock(name).withLease(LEASE));
    assertEquals(mine.getLock(name), mine.getFencedLock(name));
    assertEquals(1, Set.of(mine.getLock(name)).size());
    assertEquals(mine.getLock(name).hashCode(), mine.getLock(name).hashCode());
    assertNotEquals(mine.getLock(name), theirs.getLock(name));
    assertNotEquals(mine.getLock(name), mine.getLock(name + "-other"));
    assertNotEquals(
        mine.getReadWriteLock(name).readLock(), mine.getReadWriteLock(name).writeLock());
    assertEquals(mine.getReadWriteLock(name), mine.getReadWriteLock(name));
    assertEquals(mine.getSemaphore(name), mine.getSemaphore(name));
    assertEquals(mine.getCountDownLatch(name), mine.getCountDownLatch(name));
  }

  @Test
  @Rule("L6")
  void handlesOfTheSameMembersAreEqual() {
    LockService service = service(ofOneServer(), builder -> builder);
    DistributedLock a = service.getLock(name + "-a");
    DistributedLock b = service.getLock(name + "-b");
    DistributedLock c = service.getLock(name + "-c");

    assertEquals(MultiLock.of(a, b), MultiLock.of(b, a));
    assertNotEquals(MultiLock.of(a, b), MultiLock.of(a, c));
    assertEquals(RedLock.of(a, b, c), RedLock.of(c, b, a));
    assertNotEquals(RedLock.of(a, b, c), MultiLock.of(a, b, c));
  }

  @Test
  @Rule("L7")
  void aLeaseAndAWaitMayBeDurations() throws InterruptedException {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock(LEASE);
    assertTrue(mine.remaining().compareTo(Duration.ofMinutes(9)) > 0);
    Contender timed = contender(() -> theirs.tryLock(Duration.ofMillis(50), LEASE));
    passTime(Duration.ofMillis(60));
    assertFalse(timed.result());
    mine.unlock();
    assertEquals(Duration.ZERO, mine.remaining());

    mine.lockInterruptibly(LEASE);
    mine.unlock();
    assertTrue(mine.tryLock(Duration.ofSeconds(Long.MAX_VALUE), LEASE));
    mine.unlock();
  }

  @Test
  @Rule("L18")
  void everyDurationThatIsNoLeaseIsRefused() {
    DistributedLock mine = lock();
    for (Duration lease :
        List.of(
            Duration.ZERO,
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThrows(IllegalArgumentException.class, () -> mine.lock(lease));
      assertThrows(IllegalArgumentException.class, () -> mine.tryLock(Duration.ZERO, lease));
    }
    assertFalse(mine.isLocked());
  }
}
