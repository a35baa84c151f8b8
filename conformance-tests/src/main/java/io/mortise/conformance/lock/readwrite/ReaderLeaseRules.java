package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.ForeignKeyException;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The leases of readers and writers. Each is renewed, lost and reported by itself. */
public abstract class ReaderLeaseRules extends ReadWriteFixture {
  private static final Duration SHORT = Duration.ofMillis(300);

  /** The lease of a hold that must not be lost, however busy the machine. */
  private static final Duration RENEWED = Duration.ofSeconds(3);

  private static final Duration SECONDS = Duration.ofSeconds(4);
  private static final String LOOK =
      "return {redis.call('EXISTS', KEYS[1]), redis.call('PTTL', KEYS[1])}";

  protected ReaderLeaseRules(LockKit kit) {
    super(kit);
  }

  private static void assertLost(DistributedLock side) {
    assertEquals(LeaseState.LOST, side.leaseState());
    assertThrows(LeaseLostException.class, side::unlock);
    assertThrows(IllegalMonitorStateException.class, side::unlock);
  }

  @Test
  @Rule({"L1", "L7"})
  void aReaderWhoseLeaseEndsIsForgottenAndTheOthersStay() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.readLock().withLease(SHORT).lock();
    Contender other = entering(theirs.readLock().withLease(SECONDS.multipliedBy(900)));
    assertTrue(other.result());
    Contender writer = waiting(theirs.writeLock(), 1);

    passTimeUntil("the lease ends", SECONDS, () -> mine.readLock().leaseState() == LeaseState.LOST);
    assertFalse(isFree(mine.writeLock()));
    other.leave(theirs.readLock()::unlock);

    enterAndLeave(writer, theirs.writeLock());
    assertLost(mine.readLock());
  }

  @Test
  @Rule({"L7", "L10"})
  void theLastReadersEndGrantsTheWriterByItself() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    Duration lease = Duration.ofSeconds(2);
    mine.readLock().withLease(lease).lock();
    Contender writer = waiting(theirs.writeLock(), 1);

    passTimeUntil("the writer holds the lock", lease.multipliedBy(2), writer::isInside);

    assertLost(mine.readLock());
    writer.leave(theirs.writeLock()::unlock);
  }

  @Test
  @Rule("L8")
  void readersAndWritersKeepTheirLeases() {
    DistributedReadWriteLock mine = rw(RENEWED);
    DistributedReadWriteLock theirs = rw();
    mine.writeLock().lock();
    mine.readLock().lock();
    Contender reader = waiting(theirs.readLock(), 1);
    passTime(RENEWED.plus(SHORT));
    mine.writeLock().unlock();
    enterAndLeave(reader, theirs.readLock());
    passTime(RENEWED.plus(SHORT));

    mine.readLock().ensureHeld();
    assertFalse(isFree(theirs.writeLock()));
    mine.readLock().unlock();
  }

  @Test
  @Rule({"L7", "L8", "A5"})
  void noLeaseOfAReaderIsEverCutShort() {
    DistributedReadWriteLock mine = rw(SECONDS);
    DistributedReadWriteLock theirs = rw(SECONDS);
    mine.readLock().lock(1, TimeUnit.HOURS);
    mine.readLock().lock(10, TimeUnit.MILLISECONDS);
    mine.readLock().lock(); // the service renews it from now on
    Contender other = entering(theirs.readLock());
    assertTrue(other.result());
    passTime(SECONDS.dividedBy(2)); // the service has renewed both

    assertTrue(theirs.readLock().remainTimeToLive() > 1_000_000, "the longest lease counts");
    other.leave(theirs.readLock()::unlock);
    for (int i = 0; i < 3; i++) {
      mine.readLock().unlock();
    }
    assertEquals(-2, mine.readLock().remainTimeToLive());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule("L9")
  void theLossOfAHoldWhoseKeyIsDeletedIsReportedToItsSideAlone(boolean reads) {
    LockService service = service(builder -> builder.leaseTime(RENEWED));
    DistributedReadWriteLock rw = service.getReadWriteLock(name);
    DistributedLock lost = reads ? rw.readLock() : rw.writeLock();
    DistributedLock kept = reads ? rw.writeLock() : rw.readLock();
    List<String> told = new CopyOnWriteArrayList<>();
    lost.onLeaseChange(event -> told.add("lost " + event.state()));
    kept.onLeaseChange(event -> told.add("kept"));
    service.getLock(name).onLeaseChange(event -> told.add("plain"));
    rw.writeLock().lock();
    rw.readLock().lock();

    delete(reads ? "readers" : "lock");
    passTimeUntil("the listener got the loss", SECONDS, () -> told.contains("lost LOST"));

    assertEquals(List.of("lost LOST"), told);
    kept.ensureHeld();
    kept.unlock();
    assertLost(lost);
  }

  @Test
  @Rule({"L9", "L10", "A13"})
  void aForcedUnlockEndsOneSideAndIsReportedToAllItsHolders() {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    assertFalse(mine.readLock().forceUnlock());
    assertFalse(mine.writeLock().forceUnlock());
    mine.readLock().lock();
    Contender reader = entering(theirs.readLock());
    assertTrue(reader.result());
    Contender writer = waiting(theirs.writeLock(), 1);
    assertFalse(mine.writeLock().forceUnlock(), "no thread holds the write lock");
    assertFalse(writer.isInside());

    assertTrue(rw().readLock().forceUnlock());

    assertTrue(writer.result());
    Await.until("the loss is reported", () -> mine.readLock().leaseState() == LeaseState.LOST);
    assertLost(mine.readLock());
    reader.leave(() -> {
      Await.until("the loss is reported", () -> theirs.readLock().leaseState() == LeaseState.LOST);
      assertLost(theirs.readLock());
    });
    Contender behind = waiting(mine.readLock(), 1);
    assertTrue(mine.writeLock().forceUnlock());
    enterAndLeave(behind, mine.readLock());
    writer.leave(() -> assertThrows(LeaseLostException.class, theirs.writeLock()::unlock));
  }

  @Test
  @Rule("L9")
  void eachSideReportsWhetherAndHowLongItIsHeld() {
    DistributedReadWriteLock mine = rw(Duration.ofMinutes(1));
    DistributedReadWriteLock theirs = rw();
    assertFalse(theirs.readLock().isLocked());
    assertFalse(theirs.writeLock().isLocked());
    mine.writeLock().lock();
    assertFalse(theirs.readLock().isLocked());
    assertTrue(theirs.writeLock().isLocked());
    mine.readLock().lock();
    mine.writeLock().unlock();
    assertTrue(theirs.readLock().isLocked());
    assertEquals(-2, theirs.writeLock().remainTimeToLive());
    long left = theirs.readLock().remainTimeToLive();
    assertTrue(left > 30_000 && left <= 60_000, left + " ms");
    mine.readLock().unlock();
  }

  @ParameterizedTest
  @CsvSource({
    "lock, SET, string",
    "readers, HSET, hash",
    "queue, HSET, hash",
    "alive, HSET, hash",
    "lock, ZADD, zset",
    "lock, HSET, hash without expiry",
    "readers, ZADD, sorted set without expiry"
  })
  @Rule("L18")
  void somebodyElsesDataIsSaidAndNotTouched(String part, String command, String found) {
    DistributedReadWriteLock rw = rw();
    String args = command.equals("SET") ? "'x'" : "1, 'x'";
    List<Object> unused =
        runOn(key(part), "redis.call('" + command + "', KEYS[1], " + args + ") return {}");

    for (DistributedLock side : List.of(rw.readLock(), rw.writeLock())) {
      String message =
          String.valueOf(assertThrows(ForeignKeyException.class, side::lock).getMessage());
      assertTrue(message.contains(found), message);
      assertThrows(ForeignKeyException.class, side::tryLock);
      assertThrows(ForeignKeyException.class, side::forceUnlock);
    }
    assertEquals(List.<Object>of(1L, -1L), runOn(key(part), LOOK));
    delete(part);
    assertTrue(isFree(rw.writeLock()));
  }
}
