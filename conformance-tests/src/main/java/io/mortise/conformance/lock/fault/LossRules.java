package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.NotReplicatedException;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Leases lost to real faults of processes and servers. */
public abstract class LossRules extends LockRules {
  private static final Duration LEASE = Duration.ofMillis(1500);
  private static final Duration SECONDS = Duration.ofSeconds(10);

  private final RedisKit kit;
  private final List<LeaseState> changes = new CopyOnWriteArrayList<>();

  protected LossRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private static Contender.Way locking(DistributedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  private RedisServer serverOfItsOwn() {
    RedisServer server = RedisServer.start();
    closeLast(server);
    return server;
  }

  private LockService service(RedisServer server) {
    return service(server, LEASE);
  }

  private LockService service(RedisServer server, Duration lease) {
    return service(closing(kit.open(server.uri())), builder -> builder.leaseTime(lease));
  }

  private DistributedLock held(RedisServer server) {
    return held(service(server));
  }

  /** A lock that the calling thread holds, and whose changes the test notes. */
  private DistributedLock held(LockService service) {
    DistributedLock mine = service.getLock(name);
    mine.onLeaseChange(event -> changes.add(event.state()));
    mine.lock();
    return mine;
  }

  private Contender waiter(RedisServer server, DistributedLock theirs) {
    Contender waiter = contender(locking(theirs));
    Await.until(
        "the waiter is in the queue", () -> server.sizeOf("mortise:queue:{" + name + '}') == 1);
    return waiter;
  }

  private static void assertLost(DistributedLock mine) {
    assertEquals(LeaseState.LOST, mine.leaseState());
    assertThrows(LeaseLostException.class, mine::ensureHeld);
    assertThrows(LeaseLostException.class, mine::unlock);
  }

  @Test
  @Rule({"L1", "L9"})
  void aProcessPausedBeyondItsLeaseLearnsOfTheLossWithItsFirstStep() {
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE)) {
      assertEquals("lock", remote.ask("lock"));
      DistributedLock mine = lock();
      Contender next = contender(locking(mine));
      awaitQueued(1);

      remote.freeze();
      assertTrue(next.result(), "the frozen process's lease ends");
      List<String> commands = List.of("state", "ensure", "unlock", "unlock");
      commands.forEach(remote::tell);
      remote.thaw();

      assertEquals("LOST", remote.answer());
      assertEquals("LeaseLostException", remote.answer());
      assertEquals("LeaseLostException", remote.answer());
      assertEquals("IllegalMonitorStateException", remote.answer());
      Await.until("its listener got the loss", () -> remote.events().contains("LOST"));
      assertEquals("lock", tellInVain(remote, next, mine));
    }
  }

  /** The process that lost the lock waits for it again like any other waiter. */
  private static String tellInVain(RemoteLock remote, Contender inside, DistributedLock its) {
    remote.tell("lock");
    inside.leave(() -> {
      assertFalse(remote.hasAnswered(), "two threads hold the lock");
      its.ensureHeld();
      its.unlock();
    });
    return remote.answer();
  }

  @Test
  @Rule({"L1", "L12"})
  void aLockThatWasRetainedIsNotTakenAgainWhenTheServerHasComeBackEmpty() {
    RedisServer server = serverOfItsOwn();
    LockService keeping =
        service(closing(kit.open(server.uri())), builder -> builder.retain(Duration.ofSeconds(15)));
    DistributedLock mine = keeping.getLock(name);
    mine.lock();
    mine.unlock();
    assertTrue(mine.isLocked(), "it is retained");

    server.restart();
    DistributedLock theirs = service(server).getLock(name);
    theirs.lock();
    String mailbox = "mortise:mail:" + keeping.clientId();
    Await.until(
        "the service hears messages again",
        SECONDS,
        () -> List.of(mailbox, 1L).equals(server.command("PUBSUB", "NUMSUB", mailbox)));
    Await.until("it reaches the server", SECONDS, () -> reaches(mine));

    assertFalse(mine.tryLock());
    theirs.unlock();
  }

  private static boolean reaches(DistributedLock lock) {
    try {
      return lock.isLocked();
    } catch (LockException e) {
      return false;
    }
  }

  @Test
  @Rule({"L9", "L10", "W19"})
  void aServerThatComesBackEmptyGrantsToTheWaiterAndTheHolderGetsAReport() {
    RedisServer server = serverOfItsOwn();
    DistributedLock mine = held(server);
    DistributedLock theirs = service(server).getLock(name);
    Contender waiter = waiter(server, theirs);

    server.restart();

    Await.until("the waiter holds the lock", SECONDS, waiter::isInside);
    Await.until("the listener got the loss", SECONDS, () -> changes.contains(LeaseState.LOST));
    assertLost(mine);
    waiter.leave(() -> {
      theirs.ensureHeld();
      theirs.unlock();
    });
  }

  @Test
  @Rule({"L9", "W19"})
  void anUnlockAfterTheServerLostItsDataSaysSoAndHarmsNobody() {
    RedisServer server = serverOfItsOwn();
    DistributedLock mine = held(service(server, SECONDS.multipliedBy(6)));
    DistributedLock theirs = service(server).getLock(name);
    server.command("FLUSHALL");
    assertTrue(theirs.tryLock());

    assertThrows(LeaseLostException.class, mine::unlock, "before any renewal");

    theirs.ensureHeld();
    theirs.unlock();
    Await.until("the listener got the loss", () -> changes.contains(LeaseState.LOST));
  }

  @Test
  @Rule({"L1", "L9", "L10"})
  void aServerFrozenBeyondTheLeaseHasTheHolderGiveUpBeforeItThaws() {
    RedisServer server = serverOfItsOwn();
    DistributedLock mine = held(server);
    DistributedLock theirs = service(server).getLock(name);
    Contender waiter = waiter(server, theirs);

    server.pause();
    Await.until("the listener got the loss", SECONDS, () -> changes.contains(LeaseState.LOST));
    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.LOST), changes);
    assertLost(mine);
    server.resume();

    Await.until("the waiter holds the lock", SECONDS, waiter::isInside);
    waiter.leave(() -> {
      theirs.ensureHeld();
      theirs.unlock();
    });
    assertEquals(2, changes.size(), "no hold is revived");
  }

  @Test
  @Rule("L22")
  void aLockThatAReplicaMustConfirmIsThereWhenItIsAcquired() {
    RedisServer server = serverOfItsOwn();
    RedisServer replica = serverOfItsOwn();
    replica.command("REPLICAOF", server.host(), Integer.toString(server.port()));
    DistributedLock mine =
        service(
                closing(kit.open(server.uri())),
                builder -> builder.replicaAcks(1, Duration.ofMillis(500)))
            .getLock(name);
    Await.until("a replica confirms", SECONDS, () -> acquires(mine));
    for (int i = 0; i < 20; i++) {
      assertEquals(1L, replica.command("EXISTS", "mortise:lock:{" + name + "}"));
      mine.unlock();
      mine.lock();
    }
    mine.unlock();
    replica.pause();

    assertThrows(NotReplicatedException.class, mine::tryLock);

    replica.resume();
    Await.until("the lock is given back, and acquired again", SECONDS, () -> acquires(mine));
    mine.unlock();
  }

  private static boolean acquires(DistributedLock lock) {
    try {
      return lock.tryLock();
    } catch (NotReplicatedException e) {
      return false;
    }
  }
}
