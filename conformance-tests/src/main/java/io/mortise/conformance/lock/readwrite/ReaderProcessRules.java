package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedReadWriteLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A read/write lock between processes that are killed or frozen, and a server that loses its data.
 */
public abstract class ReaderProcessRules extends ReadWriteFixture {
  private static final Duration LEASE = Duration.ofMillis(1500);
  private static final Duration SECONDS = Duration.ofSeconds(15);

  private final RedisKit kit;

  protected ReaderProcessRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @ParameterizedTest
  @ValueSource(strings = {RemoteLock.READ, RemoteLock.WRITE})
  @Rule("L7")
  void aKilledHolderIsForgottenAtTheEndOfItsLease(String side) {
    DistributedReadWriteLock mine = rw();
    Contender writer;
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE, side)) {
      assertEquals("lock", remote.ask("lock"));
      writer = waiting(mine.writeLock(), 1);
    }
    Await.until("the writer holds the lock", SECONDS, writer::isInside);
    writer.leave(mine.writeLock()::unlock);
  }

  @Test
  @Rule({"L10", "L11"})
  void aKilledWriterInTheQueueKeepsReadersOutForSecondsOnly() {
    DistributedReadWriteLock mine = rw();
    mine.readLock().lock();
    Contender reader;
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE, RemoteLock.WRITE)) {
      remote.tell("lock");
      awaitWaiting(1);
      reader = waiting(mine.readLock(), 2);
    }
    Await.until("the reader holds the lock", SECONDS, reader::isInside);
    reader.leave(mine.readLock()::unlock);
    mine.readLock().ensureHeld();
    mine.readLock().unlock();
  }

  @ParameterizedTest
  @ValueSource(strings = {RemoteLock.READ, RemoteLock.WRITE})
  @Rule({"L1", "L10", "L11"})
  void aFrozenWaiterCostsSecondsAndComesBackToTheQueue(String side) {
    DistributedReadWriteLock mine = rw();
    mine.writeLock().lock();
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE, side)) {
      remote.tell("lock");
      awaitWaiting(1);
      Contender next = waiting(mine.writeLock(), 2);
      remote.freeze();

      mine.writeLock().unlock(); // grants the lock to the frozen process
      Await.until("the next waiter holds the lock", SECONDS, next::isInside);
      remote.thaw();
      awaitWaiting(1); // it has noticed that its grant is over
      assertFalse(remote.hasAnswered(), "both threads hold the lock");
      next.leave(() -> {
        mine.writeLock().ensureHeld();
        mine.writeLock().unlock();
      });

      assertEquals("lock", remote.answer());
      assertFalse(isFree(mine.writeLock()));
      assertEquals("unlock", remote.ask("unlock"));
    }
    assertTrue(isFree(mine.writeLock()));
  }

  @Test
  @Rule({"L1", "L9"})
  void aReaderPausedBeyondItsLeaseLearnsOfTheLossWithItsFirstStep() {
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE, RemoteLock.READ)) {
      assertEquals("lock", remote.ask("lock"));
      DistributedReadWriteLock mine = rw();
      Contender writer = waiting(mine.writeLock(), 1);

      remote.freeze();
      Await.until("the frozen process's lease ends", SECONDS, writer::isInside);
      List<String> commands = List.of("state", "unlock", "unlock");
      commands.forEach(remote::tell);
      remote.thaw();

      assertEquals("LOST", remote.answer());
      assertEquals("LeaseLostException", remote.answer());
      assertEquals("IllegalMonitorStateException", remote.answer());
      writer.leave(mine.writeLock()::unlock);
    }
  }

  @Test
  @Rule({"L9", "L10"})
  void aServerThatComesBackEmptyGrantsToTheFirstAndTheHoldersGetAReport() {
    RedisServer server = RedisServer.start();
    closeLast(server);
    DistributedReadWriteLock mine = rwOn(server);
    DistributedReadWriteLock theirs = rwOn(server);
    mine.readLock().lock();
    Contender writer = entering(theirs.writeLock());
    Await.until("the waiter is in the queue", () -> server.sizeOf(key("queue")) == 1);

    server.restart();

    Await.until("the writer holds the lock", SECONDS, writer::isInside);
    Await.until(
        "the loss is reported", SECONDS, () -> mine.readLock().leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, mine.readLock()::unlock);
    writer.leave(() -> {
      theirs.writeLock().ensureHeld();
      theirs.writeLock().unlock();
    });
  }

  private DistributedReadWriteLock rwOn(RedisServer server) {
    return service(closing(kit.open(server.uri())), builder -> builder.leaseTime(LEASE))
        .getReadWriteLock(name);
  }
}
