package io.mortise.conformance.lock.readwrite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AclUsers;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.Costs;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The cost of the read/write lock, counted by the server, and the permissions that it needs. */
public abstract class ReaderCommandRules extends ReadWriteFixture {
  private static final String SCRIPT = "evalsha";

  private final RedisKit kit;
  private final Costs costs;

  protected ReaderCommandRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
    costs = new Costs(kit);
  }

  @Test
  @Rule("L19")
  void anUncontendedWriteLockCostsAsMuchAsThePlainLockAndAReadLockTwoMore(Figures figures) {
    DistributedReadWriteLock rw = rw();
    DistributedLock read = rw.readLock();
    DistributedLock write = rw.writeLock();
    for (DistributedLock side : List.of(read, write)) {
      side.lock(); // the server knows the scripts now
      side.unlock();
    }

    Map<String, Long> taken = Map.of("exists", 1L, "hset", 1L, "pexpire", 1L);
    costs.assertOneScript(figures, "write lock", taken, write::lock);
    costs.assertOneScript(figures, "write unlock", Map.of("hdel", 1L, "exists", 1L), write::unlock);
    Map<String, Long> read5 =
        Map.of("exists", 1L, "pttl", 1L, "time", 1L, "zadd", 1L, "pexpire", 1L);
    costs.assertOneScript(figures, "read lock", read5, read::lock);
    costs.assertOneScript(figures, "read unlock", Map.of("zrem", 1L, "exists", 1L), read::unlock);
  }

  @Test
  @Rule("L2")
  void nestedHoldsCostNothingAndADowngradeOrUpgradeOneCommand() {
    DistributedReadWriteLock rw = rw();
    rw.writeLock().lock();
    rw.readLock().lock();
    rw.writeLock().unlock(); // the server knows the scripts now
    costs.reset();
    for (int i = 0; i < 50; i++) {
      rw.readLock().lock();
    }
    assertEquals(Map.of(), costs.counts());
    assertTrue(rw.tryUpgrade());
    assertTrue(rw.tryUpgrade());
    assertEquals(1L, costs.counts().get(SCRIPT));
    for (int i = 0; i < 51; i++) {
      rw.readLock().unlock();
    }
    assertEquals(2L, costs.counts().get(SCRIPT));
    rw.readLock().lock();
    assertEquals(3L, costs.counts().get(SCRIPT));
    rw.readLock().unlock();
    rw.writeLock().unlock();
    rw.writeLock().unlock();
    assertTrue(isFree(rw.writeLock()));
  }

  @Test
  @Rule("L10")
  void aReleaseNotifiesEachReaderOnceAndEachConfirmsOnce(Figures figures) {
    DistributedReadWriteLock mine = rw();
    DistributedReadWriteLock theirs = rw();
    mine.writeLock().lock();
    List<Contender> readers = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      readers.add(waiting(theirs.readLock(), i));
    }
    costs.reset();

    mine.writeLock().unlock();

    Await.until("all readers hold the lock", () -> readers.stream().allMatch(Contender::isInside));
    Map<String, Long> counts = costs.counts();
    figures.add("5 grants to readers", counts.get(SCRIPT) + " commands, 5 messages");
    assertEquals(5L, counts.get("publish"));
    // One release, five confirmations, and re-checks that happen to fall here.
    assertTrue(counts.getOrDefault(SCRIPT, 0L) <= 11, counts.toString());
    for (Contender reader : readers) {
      reader.leave(theirs.readLock()::unlock);
    }
  }

  @Test
  @Rule("L18")
  void theDocumentedPermissionsAreEnough() {
    try (LockService service = AclUsers.documented(kit, name);
        LockService other = AclUsers.documented(kit, name)) {
      DistributedReadWriteLock mine = service.getReadWriteLock(name);
      DistributedReadWriteLock theirs = other.getReadWriteLock(name);
      mine.readLock().lock();
      assertTrue(mine.tryUpgrade());
      Contender reader = waiting(theirs.readLock(), 1);
      Contender writer = waiting(theirs.writeLock(), 2);
      mine.writeLock().unlock();
      assertTrue(reader.result());
      reader.leave(theirs.readLock()::unlock);
      mine.readLock().unlock();
      enterAndLeave(writer, theirs.writeLock());
      assertFalse(mine.readLock().forceUnlock());
      assertFalse(mine.writeLock().forceUnlock());
      assertFalse(mine.readLock().isLocked());
      assertFalse(mine.writeLock().isLocked());
    }
  }

  @Test
  @Rule("L15")
  void nothingIsLeftInTheStore() throws InterruptedException {
    List<DistributedReadWriteLock> locks = List.of(rw(), rw());
    Crew.run(
        6,
        number -> {
          DistributedReadWriteLock rw = locks.get(number % 2);
          DistributedLock side = number < 3 ? rw.readLock() : rw.writeLock();
          for (int i = 0; i < 50; i++) {
            side.lock();
            side.unlock();
          }
        });
    Set<String> held = Set.of(key("lock"), key("readers"), key("queue"));
    for (String key : kit.server().keys()) {
      assertFalse(held.contains(key), key);
      Object left = kit.server().command("PTTL", key);
      assertTrue(!key.contains(name) || !Long.valueOf(-1).equals(left), key + " has no expiry");
    }
  }
}
