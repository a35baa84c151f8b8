package io.mortise.conformance.lock.forcing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forced unlocks of the hold of one id. */
@Rule("L26")
public abstract class ForcedByIdRules extends LockRules {
  protected ForcedByIdRules(LockKit kit) {
    super(kit);
  }

  private static String idOf(DistributedLock held) {
    return held.holder().map(LockHolder::id).orElseThrow();
  }

  @Test
  void theHoldOfTheIdEndsAndTheNextWaiterHasTheLock() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    List<LeaseChange> losses = new CopyOnWriteArrayList<>();
    mine.onLeaseLost(losses::add);
    mine.lock();
    Contender waiter = entering(theirs);
    awaitQueued(1);
    String id = idOf(theirs);

    assertTrue(theirs.forceUnlock(id));

    assertTrue(waiter.result());
    Await.until("the holder got the loss", () -> !losses.isEmpty());
    assertEquals(id, losses.get(0).holder());
    assertThrows(LeaseLostException.class, mine::unlock);
    assertFalse(theirs.forceUnlock(id), "the id holds nothing any more");
    assertTrue(theirs.isHeldByThread(waiter.thread().getId()));
    waiter.leave(theirs::unlock);
  }

  @Test
  void aHoldThatBeganSinceIsLeftAlone() {
    DistributedLock mine = lock();
    mine.lock();
    String before = idOf(mine);
    mine.unlock();
    assertFalse(mine.forceUnlock(before), "the lock is free");
    mine.lock();

    assertFalse(lock().forceUnlock(before));

    mine.ensureHeld();
    assertFalse(idOf(mine).equals(before));
    mine.unlock();
  }

  @Test
  void aFencedHoldEndsByItsIdToo() {
    DistributedLock mine = service().getFencedLock(name);
    mine.lock();

    assertFalse(lock().forceUnlock(idOf(mine) + '1'));
    assertTrue(lock().forceUnlock(idOf(mine)));

    Await.until("the hold is lost", () -> mine.leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, mine::unlock);
  }

  @Test
  void ofSeveralReadersOneEnds() {
    LockService service = service();
    DistributedReadWriteLock mine = service.getReadWriteLock(name);
    DistributedReadWriteLock theirs = service().getReadWriteLock(name);
    mine.readLock().lock();
    String reader = idOf(mine.readLock());
    Contender second = contender(() -> theirs.readLock().tryLock());
    assertTrue(second.result());

    assertFalse(theirs.writeLock().forceUnlock(reader), "it does not write");
    assertTrue(theirs.readLock().forceUnlock(reader));

    Await.until("the reader knows the loss", () -> mine.readLock().leaseState() == LeaseState.LOST);
    assertTrue(theirs.readLock().isHeldByThread(second.thread().getId()));
    assertFalse(mine.writeLock().tryLock(), "the other reads on");
    second.leave(theirs.readLock()::unlock);
    assertThrows(LeaseLostException.class, mine.readLock()::unlock);
    mine.writeLock().lock();
    assertTrue(theirs.writeLock().forceUnlock(idOf(mine.writeLock())));
    Await.until(
        "the writer knows the loss", () -> mine.writeLock().leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, mine.writeLock()::unlock);
  }

  @Test
  void ofSeveralLeasesOfPermitsOneEnds() throws Exception {
    DistributedSemaphore mine = service().getSemaphore(name);
    mine.resize(3);
    List<String> ids = new ArrayList<>();
    Lease one = mine.acquire(1);
    Lease two = mine.acquire(2);
    for (Object id :
        runOn(
            "mortise:sem:permits:{" + name + '}', "return redis.call('ZRANGE', KEYS[1], 2, -1)")) {
      ids.add((String) id);
    }
    String ofOne = ids.stream().filter(id -> id.endsWith(":p1")).findFirst().orElseThrow();
    DistributedSemaphore theirs = service().getSemaphore(name);

    assertFalse(theirs.forceRelease(ofOne.replace(":p1", ":p3")));
    assertTrue(theirs.forceRelease(ofOne));

    Await.until("its lease is lost", () -> !one.isValid());
    assertTrue(two.isValid());
    assertEquals(1, theirs.availablePermits());
    assertFalse(theirs.forceRelease(ofOne));
    two.close();
    assertEquals(3, theirs.availablePermits());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "!total", "!free"})
  void aTextThatIsNoIdIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> lock().forceUnlock(text));
    DistributedSemaphore semaphore = service().getSemaphore(name);
    assertThrows(IllegalArgumentException.class, () -> semaphore.forceRelease(text));
  }
}
