package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A server without memory for more refuses what is new. It keeps and ends what is held. */
public abstract class FullServerRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final int PERMITS = 3;

  private final RedisServer server = RedisServer.start();
  private final RedisKit kit;
  private LockService service;

  protected FullServerRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void open() {
    closeLast(server);
    service = service(closing(kit.open(server.uri())), builder -> builder.leaseTime(LEASE));
  }

  private void fill() {
    server.command("CONFIG", "SET", "maxmemory", "1");
    DistributedLock late = service.getLock(name + "-late");
    BackendUnavailableException refusal =
        assertThrows(BackendUnavailableException.class, late::tryLock);
    assertTrue(
        String.valueOf(refusal.getMessage()).contains("; the server is full: raise its maxmemory"),
        refusal::toString);
  }

  @Test
  @Rule({"L8", "W3"})
  void aFullServerRenewsAndReleasesWhatIsHeld() throws InterruptedException {
    List<LeasedLock> locks =
        List.of(
            service.getReadWriteLock(name).readLock(),
            service.getReadWriteLock(name + "-w").writeLock(),
            service.getLock(name),
            service.getFencedLock(name + "-fenced"));
    DistributedSemaphore semaphore = service.getSemaphore(name, PERMITS);
    Lease permits = semaphore.acquire(PERMITS);
    locks.forEach(LeasedLock::lock);
    fill();

    passTime(LEASE.multipliedBy(3));

    locks.forEach(each -> assertEquals(LeaseState.HELD, each.leaseState(), each::toString));
    assertEquals(LeaseState.HELD, permits.state());
    locks.forEach(LeasedLock::unlock);
    permits.close();
    assertEquals(PERMITS, semaphore.availablePermits());
    assertEquals(List.of(), service.find(name + '*', locks.size()));
  }

  @Test
  @Rule("S4")
  void aLeaseGivesBackAPartOfItsPermitsToAFullServer() throws InterruptedException {
    DistributedSemaphore semaphore = service.getSemaphore(name, PERMITS);
    Lease permits = semaphore.acquire(PERMITS);
    fill();

    permits.release(1);

    assertEquals(1, semaphore.availablePermits());
    permits.close();
    assertEquals(PERMITS, semaphore.availablePermits());
  }
}
