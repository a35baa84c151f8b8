package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.HoldInfo;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.conformance.Figures;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.BusyService;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HandOffs;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.lock.fixture.Waits;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.LogCapture;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of a service share what one of them got, and writers get the lock all the same. */
public abstract class ShareRules extends ReadWriteFixture {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration SECONDS = Duration.ofSeconds(8);

  /** How readers came to their holds, and how these ended. */
  private final HandOffs shares = new HandOffs();

  protected ShareRules(LockKit kit) {
    super(kit);
  }

  private LockService told(UnaryOperator<LockService.Builder> options) {
    return service(builder -> options.apply(builder.leaseTime(LONG).listener(shares)));
  }

  private DistributedReadWriteLock told() {
    return told(builder -> builder).getReadWriteLock(name);
  }

  /** Threads that read by one hold of the store. A busy machine may need several tries. */
  private List<Contender> sharing(DistributedReadWriteLock rw, int threads) {
    long start = System.nanoTime();
    while (true) {
      List<Contender> all =
          IntStream.range(0, threads)
              .mapToObj(number -> Contender.startBusy(() -> locked(rw.readLock())))
              .toList();
      all.forEach(each -> assertTrue(each.result()));
      if (sizeOf(key("readers")) == 1) {
        return all;
      }
      assertTrue(System.nanoTime() - start < Await.patience().toNanos(), "no hold was shared");
      all.forEach(each -> each.leave(rw.readLock()::unlock));
    }
  }

  private static boolean locked(DistributedLock side) {
    side.lock();
    return true;
  }

  /** Eight readers lock and unlock, until enough have shared. */
  private void use(DistributedReadWriteLock rw, int rounds, int wanted)
      throws InterruptedException {
    long start = System.nanoTime();
    AtomicInteger pairs = new AtomicInteger();
    Crew.run(
        8,
        number -> {
          for (int i = 0; i < rounds || lacks(start, wanted); i++) {
            rw.readLock().lock();
            pairs.incrementAndGet();
            LockSupport.parkNanos(20_000);
            rw.readLock().ensureHeld();
            rw.readLock().unlock();
          }
        });
    assertTrue(isFree(rw().writeLock()));
    shares.awaitTold(pairs.get());
  }

  private boolean lacks(long start, int wanted) {
    return shares.all() < wanted && System.nanoTime() - start < Await.patience().toNanos();
  }

  @Test
  @Rule({"L15", "L19", "L20"})
  void readersOfAServiceShareAndEachOfTheirHoldsEndsOnce(Figures figures)
      throws InterruptedException {
    SpyBackend spy = new SpyBackend(backend());
    LockService service = service(spy, builder -> builder.leaseTime(LONG).listener(shares));
    use(service.getReadWriteLock(name), 100, 20);

    assertTrue(shares.all() >= 20, () -> shares.all() + " shared");
    int commands = spy.sent("rw-acquire").size() + spy.sent("rw-leave").size();
    figures.add(
        "commands of 8 readers of a service", commands + " for " + shares.begun() + " pairs");
  }

  @Test
  @Rule("L12")
  void atMostAsManyShareAsHandOffsAreAllowed() throws InterruptedException {
    use(told(builder -> builder.handOffLimit(2)).getReadWriteLock(name), 50, 5);

    assertTrue(shares.all() > 0, "no hold was shared");
    int most = shares.most();
    assertTrue(most <= 2, () -> most + " threads joined one hold");
  }

  @Test
  @Rule({"L11", "L12"})
  void withoutHandOffsEachReaderHasAHoldOfItsOwn() {
    DistributedReadWriteLock mine = told(b -> b.handOffLimit(0)).getReadWriteLock(name);
    List<Contender> all = List.of(entering(mine.readLock()), entering(mine.readLock()));
    all.forEach(each -> assertTrue(each.result()));
    assertEquals(2, sizeOf(key("readers")));
    all.forEach(each -> each.leave(mine.readLock()::unlock));
    assertEquals(0, shares.all());
  }

  @Test
  @Rule({"L1", "L2", "L3", "L24"})
  void threadsThatShareCountTheirOwnHoldsAndTheLastFreesTheLock() {
    LockService service = told(builder -> builder);
    DistributedReadWriteLock mine = service.getReadWriteLock(name);
    List<Contender> all = sharing(mine, 3);
    assertEquals(0, mine.readLock().getHoldCount());
    assertThrows(IllegalMonitorStateException.class, mine.readLock()::unlock);
    List<HoldInfo> holds = service.holds();
    assertEquals(3, holds.size());
    assertEquals(1, holds.stream().map(HoldInfo::holder).distinct().count());
    DistributedLock writing = rw().writeLock();
    Contender writer = waiting(writing, 1);
    all.get(0).leave(mine.readLock()::unlock);
    all.get(2)
        .leave(() -> {
          mine.readLock().lock();
          assertEquals(2, mine.readLock().getHoldCount());
          mine.readLock().unlock();
          mine.readLock().unlock();
        });
    assertFalse(writer.isInside());
    assertTrue(mine.readLock().isLocked());

    all.get(1).leave(mine.readLock()::unlock);

    enterAndLeave(writer, writing);
    assertEquals(List.of(), service.holds());
  }

  /** Time passes while readers share, also where only tests move it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"L10", "L12"})
  void aWriterGetsTheLockFromReadersThatShare(boolean ofTheirService, Figures figures)
      throws InterruptedException {
    DistributedReadWriteLock theirs = told();
    DistributedLock writing = (ofTheirService ? theirs : rw()).writeLock();
    BusyService busy =
        new BusyService(
            6,
            number -> {
              theirs.readLock().lock();
              LockSupport.parkNanos(2_000_000); // one is always inside, most are at rest
              theirs.readLock().unlock();
              if (number == 0) {
                passTime(HAND_OFFS);
              }
            });

    Waits waits =
        busy.waitsOfOneMore(
            100,
            time -> {
              assertTrue(writing.tryLock(LONG), "no acquisition");
              return writing::unlock;
            });

    String where = ofTheirService ? "of the same" : "of another";
    waits.note(figures, "a writer " + where + " service among 6 readers that share");
    waits.assertFewSlow();
  }

  @Test
  @Rule("L11")
  void noReaderJoinsWhileAWriterOfItsServiceWaits() {
    DistributedReadWriteLock mine = told();
    List<Contender> all = sharing(mine, 2);
    Contender writer = waiting(mine.writeLock(), 1);
    Contender reader = waiting(mine.readLock(), 2);

    all.forEach(each -> each.leave(mine.readLock()::unlock));

    assertTrue(writer.result());
    assertFalse(reader.isInside());
    writer.leave(mine.writeLock()::unlock);
    enterAndLeave(reader, mine.readLock());
  }

  @Test
  @Rule({"L1", "L2"})
  void aReaderIsUpgradedWhenItIsTheOnlyOneOfItsServiceToo() {
    DistributedReadWriteLock mine = told();
    List<Contender> all = sharing(mine, 2);
    boolean[] outcomes = new boolean[2];
    all.get(0)
        .leave(() -> {
          outcomes[0] = mine.tryUpgrade();
          mine.readLock().unlock();
        });
    all.get(1)
        .leave(() -> {
          outcomes[1] = mine.tryUpgrade();
          assertFalse(isFree(mine.readLock()), "it writes alone");
          mine.writeLock().unlock();
          mine.readLock().unlock();
        });

    assertFalse(outcomes[0]);
    assertTrue(outcomes[1]);
    assertTrue(isFree(rw().writeLock()));
  }

  @Test
  @Rule("L2")
  void aWriterThatReadsOnSharesWithNobody() {
    DistributedReadWriteLock mine = told();
    mine.writeLock().lock();
    mine.readLock().lock();
    mine.writeLock().unlock();

    Contender other = entering(mine.readLock());

    assertTrue(other.result());
    assertEquals(2, sizeOf(key("readers")));
    other.leave(mine.readLock()::unlock);
    mine.readLock().unlock();
    assertEquals(0, shares.all());
  }

  @Test
  @Rule("L7")
  void noReaderJoinsWhatANestedLockMadeLonger() {
    DistributedLock mine = told().readLock();
    mine.lock();
    mine.withLease(LONG.multipliedBy(10)).lock();

    Contender other = entering(mine);

    assertTrue(other.result());
    mine.unlock();
    mine.unlock();
    assertTrue(mine.remainTimeToLive() <= LONG.toMillis(), mine::toString);
    other.leave(mine::unlock);
  }

  @Test
  @Rule({"L9", "L20"})
  void aForcedUnlockIsReportedToAllThatShare() {
    DistributedReadWriteLock mine = told();
    List<Contender> all = sharing(mine, 3);

    assertTrue(rw().readLock().forceUnlock());

    assertTrue(isFree(rw().writeLock()));
    for (Contender each : all) {
      each.leave(() -> {
        Await.until("it is lost", () -> mine.readLock().leaseState() == LeaseState.LOST);
        assertThrows(LeaseLostException.class, mine.readLock()::unlock);
        assertThrows(IllegalMonitorStateException.class, mine.readLock()::unlock);
      });
    }
    Await.until(
        "each loss is told",
        () -> shares.losses().equals(Collections.nCopies(3, LossCause.FORCED)));
  }

  @Test
  @Rule({"L7", "L8"})
  void aThreadThatDiesInsideIsForgottenALeaseAfterTheLastThatLives() {
    DistributedReadWriteLock mine =
        service(builder -> builder.leaseTime(LEASE)).getReadWriteLock(name);
    List<Contender> all = sharing(mine, 2);
    all.get(0).leave(() -> {}); // its thread ends
    passTime(LEASE.plus(SECOND));
    assertFalse(isFree(rw().writeLock()), "the other thread reads");

    all.get(1).leave(mine.readLock()::unlock);

    DistributedLock writing = rw().writeLock();
    Contender writer = waiting(writing, 1);
    passTimeUntil("the writer holds the lock", SECONDS, writer::isInside);
    writer.leave(writing::unlock);
  }

  @Test
  @Rule("L27")
  void whatOneLeavesLaterStaysTakenWhenTheOthersLeave() {
    DistributedReadWriteLock mine = told();
    List<Contender> all = sharing(mine, 2);
    all.get(0).leave(() -> mine.readLock().unlockAfter(LEASE));

    all.get(1).leave(mine.readLock()::unlock);

    DistributedLock writing = rw().writeLock();
    assertTrue(mine.readLock().isLocked());
    Contender writer = waiting(writing, 1);
    passTimeUntil("the writer holds the lock", SECONDS, writer::isInside);
    writer.leave(writing::unlock);
  }

  @Test
  @Rule("L17")
  void closingIsReportedToAllThatShare() {
    LockService closing = told(builder -> builder);
    DistributedReadWriteLock mine = closing.getReadWriteLock(name);
    List<Contender> all = sharing(mine, 2);
    closing.close();

    for (Contender each : all) {
      each.leave(() -> assertThrows(LockServiceClosedException.class, mine.readLock()::unlock));
    }
    Await.until(
        "each end is told",
        () -> shares.losses().equals(Collections.nCopies(2, LossCause.SERVICE_CLOSED)));
    assertTrue(rw().readLock().forceUnlock());
  }

  /** The listener of a lease is told in the middle of the close. */
  @Test
  @Rule({"L17", "L20"})
  void whoLeavesWhileItsServiceClosesIsToldThatToo() {
    LockService closing = told(builder -> builder.executor(Runnable::run));
    DistributedReadWriteLock mine = closing.getReadWriteLock(name);
    List<Contender> all = sharing(mine, 2);
    Runnable refused =
        () -> assertThrows(LockServiceClosedException.class, mine.readLock()::unlock);
    Lease unused =
        Await.value(closing.getLock(name).async().acquire())
            .onLost(change -> all.get(0).leave(refused));

    try (LogCapture log = LogCapture.start()) {
      closing.close();
      boolean named = log.text().contains("held 1 lock(s), which end with their leases: [" + name);
      assertTrue(named || !LogCapture.isPrinted(), "the other one still holds it");
    }

    all.get(1).leave(refused);
    Await.until(
        "each end is told",
        () -> shares.losses().equals(Collections.nCopies(3, LossCause.SERVICE_CLOSED)));
    assertTrue(shares.haveEnded());
    assertTrue(rw().readLock().forceUnlock());
  }

  @Test
  @Rule({"L20", "L27"})
  void whoLeavesForAsLongAsCanBeHasLeft() {
    DistributedReadWriteLock mine = told();
    List<Contender> all = sharing(mine, 2);

    all.get(0).leave(() -> mine.readLock().unlockAfter(Duration.ofDays(10_000)));

    all.get(1).leave(mine.readLock()::unlock);
    Await.until("each hold has ended once", shares::haveEnded);
    assertTrue(rw().readLock().forceUnlock());
  }
}
