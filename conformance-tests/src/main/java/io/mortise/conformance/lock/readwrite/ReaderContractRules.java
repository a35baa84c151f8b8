package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the JDK's fair read/write lock does too. The same tests run on both. */
public abstract class ReaderContractRules extends ReadWriteFixture {
  /** The locks under test. */
  enum Kind {
    MORTISE,
    JDK
  }

  /** The sides of the lock. */
  enum Side {
    READ,
    WRITE;

    Lock of(ReadWriteLock rw) {
      return this == READ ? rw.readLock() : rw.writeLock();
    }
  }

  protected ReaderContractRules(LockKit kit) {
    super(kit);
  }

  /** One lock, as several parties have it. */
  private Supplier<ReadWriteLock> parties(Kind kind) {
    ReadWriteLock local = new ReentrantReadWriteLock(true);
    return kind == Kind.JDK ? () -> local : this::rw;
  }

  private static Contender.Way locking(Lock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  /**
   * An attempt that does not wait and overtakes no waiter. The JDK's {@code tryLock()} would
   * overtake.
   */
  private static boolean isOpen(Lock lock) {
    Contender trying = Contender.start(() -> lock.tryLock(0, TimeUnit.SECONDS));
    boolean open = trying.result();
    if (open) {
      trying.leave(lock::unlock);
    }
    return open;
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L2"})
  void whatOneHoldsSaysWhatOthersGet(Kind kind) {
    Supplier<ReadWriteLock> parties = parties(kind);
    ReadWriteLock mine = parties.get();
    ReadWriteLock theirs = parties.get();
    mine.readLock().lock();
    assertTrue(isOpen(theirs.readLock()));
    assertFalse(isOpen(theirs.writeLock()));
    mine.readLock().unlock();
    mine.writeLock().lock();
    assertFalse(isOpen(theirs.readLock()));
    mine.readLock().lock();
    assertFalse(isOpen(theirs.readLock()));
    mine.writeLock().unlock();
    assertTrue(isOpen(theirs.readLock()));
    assertFalse(isOpen(theirs.writeLock()));
    mine.readLock().unlock();
    assertTrue(isOpen(theirs.writeLock()));
    assertThrows(UnsupportedOperationException.class, mine.readLock()::newCondition);
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, READ", "MORTISE, WRITE", "JDK, READ", "JDK, WRITE"})
  @Rule("L3")
  void anUnlockTooManyThrowsAndTouchesNobody(Kind kind, Side side) {
    Supplier<ReadWriteLock> parties = parties(kind);
    Lock mine = side.of(parties.get());
    ReadWriteLock theirs = parties.get();
    mine.lock();
    mine.unlock();
    assertThrows(IllegalMonitorStateException.class, mine::unlock);
    Contender other = contender(locking(side.of(theirs)));
    assertTrue(other.result());

    assertThrows(IllegalMonitorStateException.class, mine::unlock);

    assertFalse(isOpen(parties.get().writeLock()), "the other thread still holds the lock");
    other.leave(side.of(theirs)::unlock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L2", "L11"})
  void aWriterThatWaitsStopsNewReadersAndNoHolder(Kind kind) {
    Supplier<ReadWriteLock> parties = parties(kind);
    ReadWriteLock mine = parties.get();
    ReadWriteLock theirs = parties.get();
    mine.readLock().lock();
    Contender writer = contender(locking(theirs.writeLock()));
    assertFalse(isOpen(theirs.readLock()));
    Contender reader = contender(locking(theirs.readLock()));
    mine.readLock().lock();
    mine.readLock().unlock();
    assertFalse(writer.isInside());

    mine.readLock().unlock();

    assertTrue(writer.result());
    assertFalse(reader.isInside());
    writer.leave(theirs.writeLock()::unlock);
    assertTrue(reader.result());
    reader.leave(theirs.readLock()::unlock);
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, READ", "MORTISE, WRITE", "JDK, READ", "JDK, WRITE"})
  @Rule("L4")
  void anInterruptedWaiterLeavesNothingBehind(Kind kind, Side side) {
    Supplier<ReadWriteLock> parties = parties(kind);
    ReadWriteLock mine = parties.get();
    ReadWriteLock theirs = parties.get();
    Lock wanted = side.of(theirs);
    mine.writeLock().lock();
    Contender patient =
        contender(() -> {
          wanted.lockInterruptibly();
          return true;
        });
    Contender timed = contender(() -> wanted.tryLock(1, TimeUnit.HOURS));
    for (Contender each : List.of(patient, timed)) {
      each.interrupt();
      assertInstanceOf(InterruptedException.class, each.failure());
    }
    mine.writeLock().unlock();
    // A grant to a thread that gave up may still be on its way back.
    Contender last = contender(() -> mine.writeLock().tryLock(1, TimeUnit.HOURS));
    assertTrue(last.result());
    last.leave(mine.writeLock()::unlock);
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, READ", "MORTISE, WRITE", "JDK, READ", "JDK, WRITE"})
  @Rule("L5")
  void aTimedAttemptTakesItsTimeAndIsFalse(Kind kind, Side side) {
    Supplier<ReadWriteLock> parties = parties(kind);
    ReadWriteLock mine = parties.get();
    Lock wanted = side.of(parties.get());
    mine.writeLock().lock();
    Contender attempt = contender(() -> wanted.tryLock(200, TimeUnit.MILLISECONDS));
    assertFalse(attempt.isInside());

    passTimeUntil("the attempt ends", SECOND.multipliedBy(5), () -> !attempt.thread().isAlive());

    assertFalse(attempt.result());
    mine.writeLock().unlock();
    assertTrue(isOpen(wanted));
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, READ", "MORTISE, WRITE", "JDK, READ", "JDK, WRITE"})
  @Rule({"L4", "W1"})
  void interruptsAtAnyMomentLeaveNothingHeld(Kind kind, Side side) {
    Supplier<ReadWriteLock> parties = parties(kind);
    ReadWriteLock mine = parties.get();
    Lock wanted = side.of(parties.get());
    for (int i = 0; i < 60; i++) {
      boolean contended = i % 2 == 0;
      if (contended) {
        mine.writeLock().lock();
      }
      Contender other =
          Contender.startBusy(() -> {
            wanted.lockInterruptibly();
            wanted.unlock();
            return false;
          });
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000));
      other.interrupt();
      if (contended) {
        assertInstanceOf(InterruptedException.class, other.failure());
        mine.writeLock().unlock();
      }
      Throwable ended = other.ended();
      assertTrue(ended == null || ended instanceof InterruptedException, () -> "ended by " + ended);
    }
    Contender last = contender(() -> mine.writeLock().tryLock(1, TimeUnit.HOURS));
    assertTrue(last.result());
    last.leave(mine.writeLock()::unlock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L4")
  void anInterruptedThreadLocksBothSidesAndKeepsItsFlag(Kind kind) {
    ReadWriteLock rw = parties(kind).get();
    Thread.currentThread().interrupt();
    rw.writeLock().lock();
    rw.readLock().lock();
    rw.writeLock().unlock();
    rw.readLock().unlock();
    assertTrue(Thread.interrupted());
    assertTrue(isOpen(rw.writeLock()));
  }
}
