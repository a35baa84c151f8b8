package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import java.util.Date;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The read/write lock: many readers or one writer, and a thread that is both. */
public abstract class ReadWriteRules extends ReadWriteFixture {
  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected ReadWriteRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L1")
  void readersOfAllThreadsAndServicesShareItAndKeepWritersOut() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.readLock().lock();
    Contender local = entering(mine.readLock());
    Contender remote = entering(theirs.readLock());
    assertTrue(local.result());
    assertTrue(remote.result());
    mine.readLock().unlock();
    assertFalse(isFree(theirs.writeLock()));
    local.leave(mine.readLock()::unlock);
    assertFalse(isFree(mine.writeLock()));
    remote.leave(theirs.readLock()::unlock);
    assertTrue(isFree(theirs.writeLock()));
  }

  @Test
  @Rule("L1")
  void aWriterIsAlone() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.writeLock().lock();
    for (DistributedReadWriteLock each : List.of(mine, theirs)) {
      assertFalse(isFree(each.readLock()));
      assertFalse(isFree(each.writeLock()));
    }
    mine.writeLock().unlock();
    assertTrue(isFree(mine.readLock()));
    assertTrue(isFree(theirs.writeLock()));
  }

  @Test
  @Rule({"L2", "L3"})
  void theHoldsOfEachSideAreCountedByThemselves() {
    LockService service = service();
    assertEquals(
        0, service.getFairLock(name).getHoldCount()); // now the service looks for all kinds
    DistributedReadWriteLock rw = service.getReadWriteLock(name);
    DistributedLock read = rw.readLock();
    DistributedLock write = rw.writeLock();
    write.lock();
    assertTrue(write.tryLock());
    assertEquals(0, read.getHoldCount());
    assertThrows(IllegalMonitorStateException.class, read::unlock);
    read.lock();
    read.lock();
    assertTrue(read.tryLock());
    assertEquals(2, write.getHoldCount());
    assertEquals(3, read.getHoldCount());
    write.unlock();
    write.unlock();
    assertFalse(write.isHeldByCurrentThread());
    assertThrows(IllegalMonitorStateException.class, write::unlock);
    assertEquals(3, read.getHoldCount());
    assertFalse(isFree(write));
    read.unlock();
    read.unlock();
    read.unlock();
    assertFalse(read.isHeldByThread(Thread.currentThread().getId()));
    assertTrue(isFree(write));
  }

  @Test
  @Rule({"L1", "L10", "W8"})
  void aWriterThatReadsOnFreesTheFirstReadersAndNoWriter() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.writeLock().lock();
    Contender first = waiting(theirs.readLock(), 1);
    Contender second = waiting(mine.readLock(), 2);
    Contender writer = waiting(mine.writeLock(), 3);
    Contender behind = waiting(theirs.readLock(), 4);
    mine.readLock().lock(); // beside its own write lock: at once, whatever waits

    mine.writeLock().unlock();

    enterAndLeave(first, theirs.readLock());
    enterAndLeave(second, mine.readLock());
    assertTrue(areWaiting(2));
    assertFalse(writer.isInside());
    mine.readLock().ensureHeld();
    mine.readLock().unlock();
    assertTrue(writer.result());
    assertFalse(behind.isInside());
    writer.leave(mine.writeLock()::unlock);
    enterAndLeave(behind, theirs.readLock());
  }

  private static void assertRefused(Executable way, String name) {
    String message = String.valueOf(assertThrows(IllegalStateException.class, way).getMessage());
    List<String> parts = List.of(name, Thread.currentThread().getName(), "tryUpgrade");
    parts.forEach(part -> assertTrue(message.contains(part), message));
  }

  @Test
  @Rule("L2")
  void aReaderThatWantsToWriteIsRefusedBecauseItWouldWaitForItself() {
    DistributedReadWriteLock rw = rw();
    DistributedLock write = rw.writeLock();
    rw.readLock().lock();

    assertRefused(write::lock, name);
    assertRefused(write::lockInterruptibly, name);
    assertRefused(write::tryLock, name);
    assertRefused(() -> write.tryLock(1, TimeUnit.HOURS), name);
    assertRefused(() -> write.lock(1, TimeUnit.HOURS), name);

    assertEquals(1, rw.readLock().getHoldCount());
    rw.readLock().unlock();
    write.lock();
    write.unlock();
  }

  @Test
  @Rule({"L1", "L2"})
  void theOnlyReaderBecomesAWriterAndAReaderAgain() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    assertThrows(IllegalMonitorStateException.class, mine::tryUpgrade);
    mine.readLock().lock();
    Contender other = entering(theirs.readLock().withLease(LONG.multipliedBy(2)));
    assertTrue(other.result());
    assertFalse(mine.tryUpgrade());
    other.leave(theirs.readLock()::unlock);

    assertTrue(mine.tryUpgrade());
    assertTrue(mine.tryUpgrade());
    assertEquals(2, mine.writeLock().getHoldCount());
    assertFalse(isFree(theirs.readLock()));
    mine.writeLock().unlock();
    mine.writeLock().unlock();

    assertTrue(isFree(theirs.readLock()));
    assertFalse(isFree(theirs.writeLock()));
    mine.readLock().unlock();
    assertTrue(isFree(theirs.writeLock()));
  }

  @Test
  @Rule({"L10", "L11"})
  void anUpgradeOvertakesTheWritersThatWaitForThisReader() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.readLock().lock();
    Contender writer = waiting(theirs.writeLock(), 1);

    assertTrue(mine.tryUpgrade());
    mine.writeLock().unlock();
    assertFalse(writer.isInside());
    mine.readLock().unlock();

    enterAndLeave(writer, theirs.writeLock());
  }

  @Test
  @Rule({"L1", "L9"})
  void aReaderThatDoesNotKnowOfItsLossGetsNoUpgrade() {
    DistributedReadWriteLock mine = rw(link);
    DistributedReadWriteLock theirs = rw();
    mine.readLock().lock();
    link.mail().set(Fate.LOST);
    assertTrue(theirs.readLock().forceUnlock());
    assertTrue(isFree(theirs.writeLock()), "another thread may have written meanwhile");

    assertFalse(mine.tryUpgrade());

    assertThrows(LeaseLostException.class, mine.readLock()::unlock);
    assertTrue(isFree(mine.writeLock()));
  }

  @Test
  @Rule("L1")
  void itIsAnotherLockThanThePlainOneOfThatName() {
    DistributedReadWriteLock rw = rw();
    DistributedLock plain = lock();
    plain.lock();
    assertTrue(isFree(rw.writeLock()));
    rw.writeLock().lock();
    assertTrue(plain.forceUnlock());
    rw.writeLock().ensureHeld();
    rw.writeLock().unlock();
    assertThrows(LeaseLostException.class, plain::unlock);
  }

  /** A wait that gives up the write lock and keeps the read lock could never end with both. */
  @Test
  @Rule({"C1", "L18"})
  @SuppressWarnings("JavaUtilDate") // the interface Condition needs it
  void aWriterThatReadsIsRefusedAtOnceByTheConditions() {
    DistributedReadWriteLock rw = rw();
    for (Condition condition :
        List.of(rw.writeLock().newCondition(), rw.writeLock().newCondition("shared"))) {
      rw.writeLock().lock();
      rw.writeLock().lock();
      rw.readLock().lock();
      List<Executable> ways =
          List.of(
              condition::await,
              condition::awaitUninterruptibly,
              () -> condition.await(1, TimeUnit.HOURS),
              () -> condition.awaitNanos(Long.MAX_VALUE),
              () -> condition.awaitUntil(new Date(Long.MAX_VALUE)));
      for (Executable way : ways) {
        String why = String.valueOf(assertThrows(IllegalStateException.class, way).getMessage());
        assertTrue(why.contains("unlock the read lock"), why);
      }
      assertEquals(2, rw.writeLock().getHoldCount());
      assertEquals(1, rw.readLock().getHoldCount());
      condition.signalAll();
      rw.readLock().unlock();
      rw.writeLock().unlock();
      rw.writeLock().unlock();
    }
  }

  @Test
  @Rule("L3")
  void messagesAndTextsNameTheSide() {
    DistributedReadWriteLock rw = rw();
    rw.readLock().lock();
    assertEquals(name, rw.name());
    assertTrue(rw.toString().contains(name + ", read, held by thread"), rw.toString());
    assertTrue(rw.toString().contains(name + ", write, not held"), rw.toString());
    String message =
        String.valueOf(
            assertThrows(IllegalMonitorStateException.class, rw.writeLock()::unlock).getMessage());
    assertTrue(message.contains("write lock '" + name + "'"), message);
    rw.readLock().unlock();
    assertThrows(UnsupportedOperationException.class, rw.readLock()::newCondition);
  }
}
