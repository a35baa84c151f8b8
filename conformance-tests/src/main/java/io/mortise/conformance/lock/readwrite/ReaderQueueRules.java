package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.ScriptedClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of readers and writers, beside processes that are frozen or gone. */
public abstract class ReaderQueueRules extends ReadWriteFixture {
  private static final Duration OVER = ScriptedClient.WINDOW.plusMillis(50);
  private static final Duration SECONDS = Duration.ofSeconds(4);

  private final FaultyBackend engine = new FaultyBackend(this::backend);
  private final DistributedReadWriteLock mine = rw(engine);
  private final DistributedReadWriteLock theirs = rw();

  protected ReaderQueueRules(LockKit kit) {
    super(kit);
  }

  @BeforeEach
  void learnTheScripts() {
    mine.writeLock().lock();
    mine.writeLock().unlock();
  }

  private ScriptedClient client(String called, boolean reads) {
    return ScriptedClient.of(backend(), engine, name, name + '~' + called, reads).listening();
  }

  @Test
  @Rule({"L2", "L11", "L12"})
  void aNewReaderQueuesBehindAWriterThatWaits() {
    mine.readLock().lock();
    Contender writer = waiting(theirs.writeLock(), 1);
    assertFalse(isFree(theirs.readLock()), "an attempt overtakes no waiter");
    Contender reader = waiting(theirs.readLock(), 2);
    assertTrue(mine.readLock().tryLock(), "a holder does not queue");
    mine.readLock().unlock();

    mine.readLock().unlock();

    assertTrue(writer.result());
    assertFalse(reader.isInside());
    writer.leave(theirs.writeLock()::unlock);
    enterAndLeave(reader, theirs.readLock());
  }

  @Test
  @Rule({"L1", "L10", "L11", "L12"})
  void readersAndWritersEnterInTheOrderOfTheirArrivalAndNeighbouringReadersTogether() {
    mine.writeLock().lock();
    String arrivals = "rrwrwwrrr";
    List<Contender> line = new ArrayList<>();
    for (int i = 0; i < arrivals.length(); i++) {
      line.add(waiting(side(arrivals, i), i + 1));
    }

    mine.writeLock().unlock();

    for (int from = 0, to; from < line.size(); from = to) {
      to = from + 1;
      while (to < line.size() && arrivals.startsWith("rr", to - 1)) {
        to++;
      }
      line.subList(from, to).forEach(each -> assertTrue(each.result()));
      assertTrue(areWaiting(line.size() - to), "holders should be " + from + " to " + to);
      for (int i = from; i < to; i++) {
        line.get(i).leave(side(arrivals, i)::unlock);
      }
    }
  }

  private DistributedLock side(String arrivals, int number) {
    DistributedReadWriteLock rw = number % 3 == 0 ? mine : theirs;
    return arrivals.charAt(number) == 'r' ? rw.readLock() : rw.writeLock();
  }

  @ParameterizedTest
  @ValueSource(strings = {"was withdrawn", "forces"})
  @Rule({"L10", "Q2"})
  void whoFindsThatTheLastReadersAreOverLetsTheFirstWriterIn(String way) {
    ScriptedClient leaving = client("leaving", true);
    assertEquals(List.of("HELD"), leaving.ask(1));
    ScriptedClient dying = client("dying", true).lease(ScriptedClient.WINDOW);
    assertEquals(List.of("HELD"), dying.ask(1));
    ScriptedClient first = client("first", false);
    first.assertWaits(1);
    leaving.leave(1); // the readers' key stays for as long as its lease would have
    passTime(OVER);

    if (way.equals("forces")) {
      assertFalse(mine.writeLock().forceUnlock(), "nobody holds it");
    } else {
      ScriptedClient late = client("late", false);
      String bury = "return {redis.call('ZADD', KEYS[1], 9999999999999, '!%s')}";
      assertEquals(List.<Object>of(1L), runOn(key("alive"), bury.formatted(late.id(1))));
      assertEquals(List.of("TOO_LATE"), late.ask(1));
    }

    first.awaitMail(1);
    assertTrue(mine.writeLock().isLocked());
  }

  @Test
  @Rule({"L4", "L10"})
  void aWriterThatGivesUpFreesTheReadersBehindItAtOnce() {
    mine.readLock().lock();
    passTime(HAND_OFFS); // nobody joins any more
    Contender writer =
        contender(() -> {
          theirs.writeLock().lockInterruptibly();
          return true;
        });
    awaitWaiting(1);
    Contender first = waiting(theirs.readLock(), 2);
    Contender second = waiting(mine.readLock(), 3);

    writer.interrupt();

    assertInstanceOf(InterruptedException.class, writer.failure());
    enterAndLeave(first, theirs.readLock());
    enterAndLeave(second, mine.readLock());
    mine.readLock().unlock();
    assertTrue(isFree(theirs.writeLock()));
  }

  @Test
  @Rule({"L5", "L10"})
  void aWriterWhoseTimeIsOverFreesTheReadersBehindIt() {
    mine.readLock().lock();
    Contender writer = contender(() -> theirs.writeLock().tryLock(400, TimeUnit.MILLISECONDS));
    Contender reader = entering(theirs.readLock());

    passTimeUntil("the attempt gives up", SECONDS, () -> !writer.thread().isAlive());

    assertFalse(writer.result());
    enterAndLeave(reader, theirs.readLock());
    mine.readLock().unlock();
  }

  @Test
  @Rule({"L1", "L7"})
  void aReaderThatDiedIsForgottenAtTheEndOfItsLeaseWhileOthersReadOn() {
    mine.readLock().lock();
    ScriptedClient dead = client("dead", true).lease(ScriptedClient.WINDOW);
    assertEquals(List.of("HELD"), dead.ask(1));
    Contender writer = waiting(theirs.writeLock(), 1);
    passTime(ScriptedClient.WINDOW.plusMillis(50));
    assertFalse(writer.isInside());

    mine.readLock().unlock();

    enterAndLeave(writer, theirs.writeLock());
    assertEquals(List.of("HELD"), dead.ask(2));
    mine.readLock().lock();
    passTime(ScriptedClient.WINDOW.plusMillis(50));
    mine.readLock().unlock(); // the key stays, with an ended lease in it
    assertEquals(-2, mine.readLock().remainTimeToLive());
  }

  @Test
  @Rule({"L10", "A7"})
  void aWriterThatIsGoneKeepsTheReadersBehindItOutForSecondsOnly() {
    mine.readLock().lock();
    ScriptedClient gone = client("gone", false).alive(ScriptedClient.WINDOW);
    gone.assertWaits(1);
    ScriptedClient reader = client("reader", true).alive(ScriptedClient.WINDOW);
    reader.assertWaits(1);

    passTime(ScriptedClient.WINDOW.plusMillis(50));

    assertEquals(List.of("HELD"), reader.ask(1));
    reader.leave(1);
    mine.readLock().ensureHeld();
    mine.readLock().unlock();
  }

  @Test
  @Rule({"L10", "A11"})
  void frozenReadersCostOneGrantHoweverManyTheyAre() {
    ScriptedClient holder = client("holder", false);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient frozen = client("frozen", true);
    for (int i = 1; i <= 20; i++) {
      frozen.assertWaits(i);
    }
    Contender writer = waiting(theirs.writeLock(), 21);

    holder.leave(1);
    frozen.awaitMail(20); // all at the same time
    assertFalse(writer.isInside());

    passTimeUntil("the writer holds the lock", SECONDS, writer::isInside);
    writer.leave(theirs.writeLock()::unlock);
  }

  @Test
  @Rule({"L10", "L11", "A9"})
  void aWaiterThatCannotBeNotifiedIsPassedOver() {
    assumeTrue(backend().info().publishCounts(), "the store does not know who hears a message");
    ScriptedClient holder = client("holder", false);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient.of(backend(), engine, name, name + "~deaf", true).assertWaits(1);
    ScriptedClient.of(backend(), engine, name, name + "~deaf", false).assertWaits(2);
    ScriptedClient next = client("next", true);
    next.assertWaits(1);

    holder.leave(1);

    next.awaitMail(1);
    assertEquals(List.of("HELD"), next.ask(1));
  }

  @Test
  @Rule({"L11", "A3"})
  void aReaderThatConfirmsTooLateGoesBackToItsPlace() {
    ScriptedClient holder = client("holder", false);
    assertEquals(List.of("HELD"), holder.ask(1));
    ScriptedClient late = client("late", true);
    late.assertWaits(1);
    ScriptedClient writer = client("writer", false);
    writer.assertWaits(1);
    holder.leave(1);
    passTime(ScriptedClient.WINDOW.plusMillis(50));
    assertEquals(List.of("HELD"), writer.ask(1));
    client("newcomer", false).assertWaits(1);

    late.assertWaits(1);
    writer.leave(1);

    late.awaitMail(2);
    assertEquals(List.of("HELD"), late.ask(1));
  }

  @Test
  @Rule({"L7", "A5"})
  void anAcquireThatComesAgainCutsNoReadersLeaseShort() {
    ScriptedClient reader = client("reader", true);
    assertEquals(List.of("HELD"), reader.ask(1));
    reader.lease(ScriptedClient.WINDOW);
    assertEquals(List.of("HELD"), reader.ask(1));
    assertTrue(mine.readLock().remainTimeToLive() > 60_000);
    client("writer", false).assertWaits(1); // from now on an acquire does not take the fast path

    assertEquals(List.of("HELD"), reader.ask(1));

    assertTrue(mine.readLock().remainTimeToLive() > 60_000);
  }

  @Test
  @Rule({"L9", "L10", "A13"})
  void aForcedUnlockOfFrozenReadersGrantsToTheNextWaiter() {
    ScriptedClient frozen = client("frozen", true);
    assertEquals(List.of("HELD"), frozen.ask(1));
    assertEquals(List.of("HELD"), frozen.ask(2));
    Contender writer = waiting(theirs.writeLock(), 1);

    assertTrue(mine.readLock().forceUnlock());

    assertTrue(writer.result(), "only the script could grant the lock");
    frozen.awaitMail(2).forEach(told -> assertTrue(told.startsWith("lost|" + name), told));
    writer.leave(theirs.writeLock()::unlock);
  }
}
