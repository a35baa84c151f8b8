package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedReadWriteLock;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A read/write lock whose messages and commands get lost or come late. */
public abstract class ReaderFaultRules extends ReadWriteFixture {
  /** Longer than any re-check, and shorter than an unanswered grant. */
  private static final Duration RECHECK = Duration.ofMillis(2500);

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final DistributedReadWriteLock mine = rw();
  private final DistributedReadWriteLock theirs = rw(link);

  protected ReaderFaultRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L10", "L11", "A3"})
  void missingMessagesCostReadersARecheckAndNotTheirPlace() {
    mine.writeLock().lock();
    Contender first = waiting(theirs.readLock(), 1);
    Contender second = waiting(theirs.readLock(), 2);
    Contender writer = waiting(mine.writeLock(), 3);
    link.mail().set(Fate.LOST);

    mine.writeLock().unlock();

    passTimeUntil("both waiters ask", RECHECK, () -> first.isInside() && second.isInside());
    assertFalse(writer.isInside());
    first.leave(theirs.readLock()::unlock);
    second.leave(theirs.readLock()::unlock);
    enterAndLeave(writer, mine.writeLock());
  }

  @Test
  @Rule({"L10", "L11", "A3"})
  void aMissingMessageCostsAWriterARecheckAndNotItsPlace() {
    mine.readLock().lock();
    passTime(HAND_OFFS); // nobody joins any more
    Contender writer = waiting(theirs.writeLock(), 1);
    Contender reader = waiting(mine.readLock(), 2);
    link.mail().set(Fate.LOST);

    mine.readLock().unlock();

    passTimeUntil("the waiter asks", RECHECK, writer::isInside);
    assertFalse(reader.isInside());
    writer.leave(theirs.writeLock()::unlock);
    enterAndLeave(reader, mine.readLock());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"L10", "A6"})
  void aGrantThatNobodyWaitsForIsGivenBackAtOnce(boolean reads) {
    mine.writeLock().lock();
    Contender quitter =
        contender(() -> {
          (reads ? theirs.readLock() : theirs.writeLock()).lockInterruptibly();
          return true;
        });
    awaitWaiting(1);
    Contender next = waiting(mine.writeLock(), 2);
    HeldCall leaving = link.hold("rw-leave");
    quitter.interrupt();
    leaving.awaitSent();

    mine.writeLock().unlock();

    assertTrue(next.result());
    leaving.pass();
    assertInstanceOf(InterruptedException.class, quitter.failure());
    next.leave(mine.writeLock()::unlock);
  }

  @Test
  @Rule({"L1", "L14"})
  void aReaderThatIsAskedForAgainIsTheSameReader() {
    link.set("rw-acquire", Link.REPLY_LOST, 1);
    Contender reader = entering(theirs.readLock());
    passTimeUntil("the waiter asks again", SECOND, reader::isInside);

    assertEquals(1, sizeOf(key("readers")));
    reader.leave(theirs.readLock()::unlock);
    assertTrue(isFree(mine.writeLock()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"L14", "A4"})
  void anAcquireThatArrivesAfterItsWithdrawalIsRefused(boolean reads) {
    HeldCall late = link.hold("rw-acquire");
    HeldCall withdrawal = link.hold("rw-leave");
    Contender unlucky = contender((reads ? theirs.readLock() : theirs.writeLock())::tryLock);

    late.lose();

    assertInstanceOf(OutcomeUnknownException.class, unlucky.failure());
    withdrawal.awaitSent();
    withdrawal.pass();
    assertEquals(List.of("TOO_LATE"), late.arrive());
    assertTrue(isFree(mine.writeLock()));
  }

  @Test
  @Rule({"L1", "L9"})
  void aRenewalThatComesTooLateRevivesNoReader() {
    Duration lease = SECOND; // the renewal is sent before its end, on a busy machine
    mine.readLock().lock(); // keeps the key alive
    HeldCall late = link.hold("renew");
    HeldCall leaving = link.hold("rw-leave");
    Contender reader =
        Contender.startBusy(() -> {
          theirs.readLock().withLease(lease).lock();
          // a longer lease than the hold has, so it sends a command
          theirs.readLock().lock(1, TimeUnit.HOURS);
          return true;
        });
    late.awaitSent();
    passTime(lease.plusMillis(50));

    assertEquals(List.of(0L), late.pass());

    assertTrue(reader.result(), "the reader acquired the lock anew");
    leaving.pass();
    assertEquals(2, sizeOf(key("readers")));
    reader.leave(theirs.readLock()::unlock);
    mine.readLock().unlock();
    assertTrue(isFree(mine.writeLock()));
  }

  @Test
  @Rule({"L1", "L14"})
  void anUpgradeOfUnknownOutcomeIsWithdrawnAndItsReaderReadsOn() {
    boolean[] outcome = new boolean[1];
    HeldCall reading = link.hold("rw-acquire");
    Contender reader =
        Contender.startBusy(() -> {
          theirs.readLock().lock();
          try {
            outcome[0] = theirs.tryUpgrade();
          } catch (OutcomeUnknownException e) {
            outcome[0] = theirs.writeLock().getHoldCount() == 0;
          }
          return true;
        });
    reading.awaitSent();
    HeldCall upgrade = link.hold("rw-acquire");
    reading.pass();
    upgrade.arrive();
    upgrade.lose();

    assertTrue(reader.result());
    assertTrue(outcome[0]);
    Await.until("no thread holds the write lock", () -> !mine.writeLock().isLocked());
    assertTrue(isFree(mine.readLock()));
    assertFalse(isFree(mine.writeLock()));
    reader.leave(theirs.readLock()::unlock);
    assertTrue(isFree(mine.writeLock()));
  }
}
