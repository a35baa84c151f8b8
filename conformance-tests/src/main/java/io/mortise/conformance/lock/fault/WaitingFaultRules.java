package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.RemoteLock;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Waiters whose process or link fails. They cost other waiters seconds at most, and keep their
 * place.
 */
public abstract class WaitingFaultRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration SECONDS = Duration.ofSeconds(10);

  private final RedisKit kit;

  protected WaitingFaultRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private static Contender.Way locking(DistributedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  /** How many subscribers a service's mailbox has. */
  private long listeners(LockService service) {
    Object reply = kit.server().command("PUBSUB", "NUMSUB", "mortise:mail:" + service.clientId());
    return reply instanceof List<?> pair && pair.get(1) instanceof Long count ? count : -1;
  }

  private String holder() {
    Object ids = kit.server().command("HKEYS", "mortise:lock:{" + name + '}');
    return String.valueOf(ids);
  }

  private static int mailboxes(RedisServer server) {
    Object open = server.command("PUBSUB", "CHANNELS", "mortise:mail:*");
    return open instanceof List<?> channels ? channels.size() : -1;
  }

  @Test
  @Rule({"L10", "L11"})
  void aKilledWaiterIsPassedOver() {
    DistributedLock mine = lock();
    LockService other = service();
    DistributedLock theirs = other.getLock(name);
    mine.lock();
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE)) {
      remote.tell("lock");
      awaitQueued(1);
    }
    Contender next = contender(locking(theirs));
    awaitQueued(2);
    Await.until("the server noticed", () -> mailboxes(kit.server()) == 2);

    mine.unlock();

    // The releasing script itself granted the lock. No other waiter had to wait for the dead one.
    assertTrue(holder().contains(other.clientId()), holder());
    assertTrue(next.result());
    next.leave(theirs::unlock);
  }

  @Test
  @Rule({"L1", "L10", "L11"})
  void aFrozenWaiterCostsSecondsAndComesBackToTheQueue() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    try (RemoteLock remote = RemoteLock.start(kit, name, LEASE)) {
      remote.tell("lock");
      awaitQueued(1);
      Contender next = contender(locking(theirs));
      awaitQueued(2);
      remote.freeze();

      mine.unlock(); // grants the lock to the frozen process
      Await.until("the next waiter holds the lock", SECONDS, next::isInside);
      remote.thaw();
      awaitQueued(1); // it has noticed that its grant is over
      assertFalse(remote.hasAnswered(), "two threads hold the lock");
      next.leave(() -> {
        theirs.ensureHeld();
        theirs.unlock();
      });

      assertEquals("lock", remote.answer());
      assertFalse(mine.tryLock());
      assertEquals("unlock", remote.ask("unlock"));
    }
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  private TcpProxy proxy() {
    TcpProxy proxy = TcpProxy.to(kit.server());
    closeLast(proxy);
    return proxy;
  }

  /** A service whose messages come through a proxy, and whose commands do not. */
  private LockService mailedThrough(TcpProxy proxy) {
    return mailedThrough(proxy, Duration.ZERO);
  }

  private LockService mailedThrough(TcpProxy proxy, Duration retain) {
    return service(
        new SpyBackend(backend(), closing(kit.open(proxy.uri()))),
        builder -> builder.retain(retain));
  }

  @Test
  @Rule({"L10", "L12"})
  void aRetainedLockOfAServiceThatHearsNothingIsFreeAfterItsTime() {
    TcpProxy proxy = proxy();
    LockService deaf = mailedThrough(proxy, Duration.ofSeconds(3));
    DistributedLock mine = deaf.getLock(name);
    DistributedLock theirs = lock();
    proxy.stall(); // neither side notices: the server still counts the subscriber

    mine.lock();
    mine.unlock();
    assertTrue(theirs.isLocked(), "it is retained");
    Contender other = contender(locking(theirs));

    Await.until("the time is over, and the lock free", SECONDS, other::isInside);
    assertEquals(1, listeners(deaf));
    other.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "L11"})
  void aWaiterWhoseMailboxIsCutKeepsItsPlace() {
    DistributedLock mine = lock();
    mine.lock();
    TcpProxy proxy = proxy();
    LockService cut = mailedThrough(proxy);
    DistributedLock first = cut.getLock(name);
    Contender one = contender(locking(first));
    awaitQueued(1);
    DistributedLock second = lock();
    Contender two = contender(locking(second));
    awaitQueued(2);
    DistributedLock third = lock();
    Contender three = contender(locking(third));
    awaitQueued(3);

    proxy.refuse();
    proxy.cut();
    Await.until("the mailbox has no subscriber", () -> listeners(cut) == 0);
    mine.unlock();
    assertTrue(two.result(), "the message to the first waiter got lost");
    proxy.resume();
    Await.until("the mailbox has a subscriber again", SECONDS, () -> listeners(cut) == 1);
    awaitQueued(2);
    two.leave(second::unlock);

    assertTrue(one.result(), "the waiter came back to its place");
    assertFalse(three.isInside());
    one.leave(first::unlock);
    assertTrue(three.result());
    three.leave(third::unlock);
  }

  @Test
  @Rule("L10")
  void aWaiterWhoseMailboxIsHalfOpenGetsTheLockWithinSeconds() {
    DistributedLock mine = lock();
    mine.lock();
    TcpProxy proxy = proxy();
    DistributedLock theirs = mailedThrough(proxy).getLock(name);
    Contender waiter = contender(locking(theirs));
    awaitQueued(1);

    proxy.stall(); // the server still counts it as a subscriber
    mine.unlock();

    Await.until("the waiter holds the lock", SECONDS, waiter::isInside);
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule("W15")
  void aThousandContendedNamesAllGetTheirLocksOverFewConnections() throws InterruptedException {
    int names = 1000;
    RedisServer server = RedisServer.start();
    closeLast(server);
    LockService holder = service(closing(kit.open(server.uri())), builder -> builder);
    LockService waiting = service(closing(kit.open(server.uri())), builder -> builder);
    IntStream.range(0, names).forEach(i -> holder.getLock(name + '-' + i).lock());
    AtomicInteger turns = new AtomicInteger();

    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            names,
            number -> {
              DistributedLock lock = waiting.getLock(name + '-' + number);
              lock.lock();
              turns.incrementAndGet();
              lock.unlock();
            });
    Await.until(
        "all waiters are in the queue", Duration.ofSeconds(30), () -> queues(server) == names);
    long connections = String.valueOf(server.command("CLIENT", "LIST")).lines().count();
    IntStream.range(0, names).forEach(i -> holder.getLock(name + '-' + i).unlock());
    crew.join(Duration.ofSeconds(30));

    assertEquals(names, turns.get());
    assertTrue(connections <= 24, "connections of two services: " + connections);
    assertEquals(2, mailboxes(server), "one channel for each service");
  }

  private static long queues(RedisServer server) {
    return server.keys().stream().filter(key -> key.startsWith("mortise:queue:")).count();
  }
}
