package io.mortise.conformance.lock.looking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.FencedLock;
import io.mortise.ForeignKeyException;
import io.mortise.Lease;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What {@code holder()} says about the holder of a lock. */
@Rule("L21")
public abstract class HolderRules extends LockRules {
  protected HolderRules(LockKit kit) {
    super(kit);
  }

  @Test
  void everyServiceSeesTheHolderAndTheNumberOfWaiters() {
    LockService service = service();
    DistributedLock mine = service.getLock(name);
    DistributedLock theirs = lock();
    assertEquals(Optional.empty(), theirs.holder());
    mine.lock();
    Contender one = entering(lock());
    Contender two = entering(lock());
    awaitQueued(2);

    LockHolder holder = theirs.holder().orElseThrow();

    assertEquals(service.clientId(), holder.clientId());
    assertTrue(service.clientId().startsWith(holder.host() + '~'), holder.toString());
    assertEquals(ProcessHandle.current().pid(), holder.pid());
    assertEquals(Thread.currentThread().getId(), holder.threadId());
    assertEquals(2, holder.waiters());
    long left = mine.remainTimeToLive();
    assertTrue(holder.leaseLeft().compareTo(Duration.ofMillis(left)) >= 0, holder.toString());
    assertEquals(Optional.empty(), holder.threadName());
    assertEquals(Optional.empty(), holder.heldFor());
    mine.unlock();
    one.leave(() -> {});
    two.interrupt();
  }

  @Test
  void theHoldersOwnProcessAlsoSeesTheThread() {
    DistributedLock mine = lock();
    Contender first = entering(mine);
    assertTrue(first.result());
    Contender second = entering(mine);
    assertEquals(first.thread().getId(), mine.holder().orElseThrow().threadId());
    assertEquals(Optional.of(first.thread().getName()), mine.holder().orElseThrow().threadName());
    second.thread().setName("second");
    first.leave(mine::unlock);
    assertTrue(second.result());

    LockHolder holder = mine.holder().orElseThrow();

    // The gate may hand the lock off without a command, or not. Both answers are right.
    List<Long> either = List.of(first.thread().getId(), second.thread().getId());
    assertTrue(either.contains(holder.threadId()), holder.toString());
    assertEquals(Optional.of("second"), holder.threadName());
    assertTrue(holder.heldFor().orElseThrow().toNanos() >= 0);
  }

  @Test
  @Rule("L13")
  void ofAFencedLockItHasTheToken() throws InterruptedException {
    FencedLock mine = service().getFencedLock(name);
    long token = mine.lockAndGetToken();

    assertEquals(OptionalLong.of(token), token(mine));
    assertEquals(OptionalLong.of(token), token(service().getFencedLock(name)));
    assertEquals(OptionalLong.of(token), token(lock()), "by a handle of another kind");
    mine.unlock();

    try (Lease lease = mine.acquire()) {
      assertTrue(lease.fencingToken().orElseThrow() > token);
      assertEquals(lease.fencingToken(), token(lock()));
    }
  }

  /** Others see the token with which the service began. */
  @Test
  @Rule({"L12", "L13"})
  void aThreadThatGotAFencedLockByAHandOffHasATokenOfItsOwn() {
    FencedLock mine = service().getFencedLock(name);
    List<Long> tokens = new CopyOnWriteArrayList<>();
    Contender first = contender(() -> tokens.add(mine.lockAndGetToken()));
    assertTrue(first.result());
    Contender second = contender(() -> tokens.add(mine.lockAndGetToken()));
    first.leave(mine::unlock);
    assertTrue(second.result());

    LockHolder here = mine.holder().orElseThrow();
    assertEquals(OptionalLong.of(tokens.get(1)), here.fencingToken());
    LockHolder there = lock().holder().orElseThrow();
    assertEquals(here.id(), there.id());
    long seen = there.fencingToken().orElseThrow();
    // The gate may hand the lock off without a command, or not.
    assertTrue(tokens.contains(seen), seen + " of " + tokens);
    second.leave(mine::unlock);
  }

  @Test
  void onlyAFencedHoldHasAToken() {
    LockService service = service();
    DistributedLock exclusive = service.getLock(name);
    DistributedReadWriteLock sides = service.getReadWriteLock(name);
    for (DistributedLock each :
        List.of(exclusive, service.getFairLock(name), sides.readLock(), sides.writeLock())) {
      each.lock();
      assertEquals(OptionalLong.empty(), token(each), each.toString());
      each.unlock();
    }
    exclusive.lock();
    assertEquals(OptionalLong.empty(), token(service.getFencedLock(name)));
    assertFalse(lock().tryLock());
    assertEquals(OptionalLong.empty(), token(lock()), "the store has when it was asked for");
    exclusive.unlock();
    FencedLock fenced = service.getFencedLock(name);
    fenced.lock();
    fenced.unlockAfter(SECOND);
    assertEquals(OptionalLong.empty(), token(fenced), "nobody holds it any more");
  }

  private static OptionalLong token(DistributedLock lock) {
    return lock.holder().orElseThrow().fencingToken();
  }

  @Test
  void ofAReadWriteLockAReaderOrTheWriter() {
    LockService service = service();
    DistributedReadWriteLock mine = service.getReadWriteLock(name);
    DistributedReadWriteLock theirs = service().getReadWriteLock(name);
    mine.readLock().lock();
    assertEquals(service.clientId(), theirs.readLock().holder().orElseThrow().clientId());
    assertEquals(Optional.empty(), theirs.writeLock().holder());
    mine.readLock().unlock();
    mine.writeLock().lock();
    LockHolder writer = theirs.writeLock().holder().orElseThrow();
    assertEquals(Thread.currentThread().getId(), writer.threadId());
    assertEquals(Optional.empty(), theirs.readLock().holder());
  }

  @Test
  void theHolderOfAnotherLibraryIsReadFromItsId() {
    run(
        "redis.call('HSET', KEYS[1], '1f0c:17', 2) redis.call('PEXPIRE', KEYS[1], 9000) return {1}");
    LockHolder holder = lock().holder().orElseThrow();
    assertEquals("1f0c", holder.clientId());
    assertEquals("", holder.host());
    assertEquals(-1, holder.pid());
    assertEquals(17, holder.threadId());
    assertEquals(OptionalLong.empty(), holder.fencingToken(), "2 is how often it is held");
    deleteKey();
    run("redis.call('SET', KEYS[1], 'x') return {1}");
    assertThrows(ForeignKeyException.class, lock()::holder);
  }

  @Test
  @Rule({"L11", "L15"})
  void theQueueIsCountedWithOrWithoutAHolder() {
    DistributedLock theirs = lock();
    assertEquals(0, theirs.getQueueLength());
    DistributedLock mine = lock();
    mine.lock();
    assertFalse(theirs.hasQueuedThreads(), "a holder does not wait");
    Contender one = entering(lock());
    Contender two = entering(lock());
    awaitQueued(2);
    assertEquals(2, theirs.getQueueLength());
    assertEquals(2, mine.getQueueLength());
    assertTrue(mine.hasQueuedThreads());
    two.interrupt();
    mine.unlock();
    one.leave(() -> {});
  }

  @Test
  @Rule("L11")
  void aHandleKnowsWhetherItKeepsTheOrder() {
    LockService service = service();
    assertFalse(service.getLock(name).isFair());
    assertFalse(service.getFencedLock(name).isFair());
    assertTrue(service.getFairLock(name).isFair());
    assertTrue(service.getFairLock(name).withLease(SECOND).isFair());
    assertTrue(service.getReadWriteLock(name).readLock().isFair());
    assertTrue(service.getReadWriteLock(name).writeLock().isFair());
  }

  @Test
  @Rule("L18")
  void aQueueThatIsAnotherProgramsIsRefused() {
    runOn(
        "mortise:queue:{" + name + "}", "return {redis.call('SET', KEYS[1], 'x', 'PX', '60000')}");
    assertThrows(ForeignKeyException.class, lock()::getQueueLength);
  }
}
