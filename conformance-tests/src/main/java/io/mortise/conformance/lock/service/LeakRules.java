package io.mortise.conformance.lock.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** After everything that can happen to a lock, nothing is left. */
@Rule("L15")
public abstract class LeakRules extends LockRules {
  private static final int NAMES = 3;

  protected LeakRules(LockKit kit) {
    super(kit);
  }

  private DistributedLock lock(LockService service, int number) {
    return service.getLock(name + '-' + number);
  }

  /**
   * Contention, attempts in vain, interrupts, losses and forced unlocks. In the end no thread holds
   * the lock or waits.
   */
  private void useAndLeave(LockService one, LockService other, LockBackend store)
      throws InterruptedException {
    List<LockService> services = List.of(one, other);
    Crew.run(
        6,
        number -> {
          for (int i = 0; i < 40; i++) {
            DistributedLock lock = lock(services.get(number % 2), i % NAMES);
            if (i % 4 == 0 ? lock.tryLock(1, TimeUnit.MILLISECONDS) : lockUsually(lock, i)) {
              lock.unlock();
            }
          }
        });
    for (int i = 0; i < NAMES; i++) {
      interruptAndForce(lock(one, i), lock(other, i), store);
    }
  }

  private static boolean lockUsually(DistributedLock lock, int i) {
    if (i % 4 == 1) {
      return lock.tryLock();
    }
    lock.lock();
    return true;
  }

  /** A waiter is interrupted, another waits in vain, a hold is revoked, and a lease ends. */
  private void interruptAndForce(DistributedLock mine, DistributedLock theirs, LockBackend store) {
    Registration registration = mine.onLeaseChange(event -> {});
    mine.lock();
    Contender waiter = contender(() -> theirs.tryLock(1, TimeUnit.HOURS));
    waiter.interrupt();
    assertInstanceOf(InterruptedException.class, waiter.failure());
    Await.until("the waiter has left the queue", () -> keys(store, mine.name()) == 1);
    assertTrue(theirs.forceUnlock());
    Await.until("the holder knows the loss", () -> !mine.isHeldByCurrentThread());
    assertLost(mine);
    mine.lock(20, TimeUnit.MILLISECONDS);
    passTimeUntil("the lease ends", SECOND.multipliedBy(5), () -> !mine.isHeldByCurrentThread());
    assertLost(mine);
    registration.close();
  }

  private static void assertLost(DistributedLock lock) {
    try {
      lock.unlock();
      throw new AssertionError("the lock was still held");
    } catch (IllegalMonitorStateException e) {
      // expected: the hold was lost
    }
  }

  /** How many of its keys exist. */
  private static long keys(LockBackend store, String lockName) {
    return ask(store, lockName, "return {redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])}");
  }

  /**
   * How many of its keys exist. Tombstones of revoked holds do not count, if they expire within a
   * minute and no other member is beside them.
   */
  private static long keysButForTombstones(LockBackend store, String lockName) {
    String tombstones =
        """
        for _, each in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
          if string.sub(each, 1, 1) ~= '!' then
            return {3}
          end
        end
        local left = redis.call('PTTL', KEYS[3])
        if left == -1 or left > 60000 then
          return {3}
        end
        return {redis.call('EXISTS', KEYS[1], KEYS[2])}
        """;
    return ask(store, lockName, tombstones);
  }

  private static long ask(LockBackend store, String lockName, String script) {
    List<String> keys =
        List.of(
            "mortise:lock:{" + lockName + '}',
            "mortise:queue:{" + lockName + '}',
            "mortise:alive:{" + lockName + '}');
    ScriptCall call =
        new ScriptCall(Script.of("count", script), keys, List.of(), SECOND.multipliedBy(10));
    return (Long) store.execute(call).get(0);
  }

  /** How many subscribers a channel has. */
  private static long listeners(LockBackend store, String channel) {
    Script publish = Script.of("publish", "return {redis.call('PUBLISH', ARGV[1], 'anybody?')}");
    ScriptCall call = new ScriptCall(publish, List.of(), List.of(channel), SECOND.multipliedBy(10));
    return (Long) store.execute(call).get(0);
  }

  @Test
  void noKeyAndNoSubscriptionIsLeftInTheStore() throws InterruptedException {
    LockBackend store = backend();
    LockService one = service();
    LockService other = service();
    useAndLeave(one, other, store);

    for (int i = 0; i < NAMES; i++) {
      String lockName = name + '-' + i;
      Await.until(
          "no key of " + lockName + " is left", () -> keysButForTombstones(store, lockName) == 0);
    }
    assumeTrue(store.info().publishCounts(), "the store does not know who hears a message");
    String channel = "mortise:mail:" + one.clientId();
    assertEquals(1, listeners(store, channel), "one channel for all locks");
    one.close();
    Await.until("the mailbox has no subscriber any more", () -> listeners(store, channel) == 0);
  }

  @Test
  void noEntryIsLeftInTheEngine() throws InterruptedException {
    LockService one = service();
    LockService other = service();
    useAndLeave(one, other, backend());

    for (LockService service : List.of(one, other)) {
      Object engine = field(service, "engine");
      assertEquals(Map.of(), field(field(engine, "gates"), "byPlace"), "gates");
      assertEquals(Map.of(), field(field(engine, "acquisitions"), "byId"), "acquisitions");
      Object lost = field(field(engine, "lostHolds"), "holds");
      assertEquals(Map.of(), field(lost, "stacks"), "lost holds");
      assertEquals(Map.of(), field(lost, "told"), "threads that were told of one");
      assertEquals(Map.of(), field(field(engine, "events"), "byLock"), "listeners");
    }
  }

  @Test
  void noEntryIsLeftOfNumbersOfPermits() {
    LockService service = service();
    DistributedSemaphore permits = service.getSemaphore(name);
    assertTrue(permits.trySetPermits(100));
    for (int i = 1; i <= 20; i++) {
      permits.tryAcquire(i).orElseThrow().close();
      passTime(Duration.ofMillis(11)); // so that they are passed on no more
    }

    Map<?, ?> gates = (Map<?, ?>) field(field(field(service, "engine"), "requests"), "leaseGates");
    for (Object gate : gates.values()) {
      int ends = ((Map<?, ?>) field(gate, "ends")).size();
      assertTrue(ends <= 1, () -> ends + " entries");
    }
  }

  /** A backend that knows the timers that have neither run nor been closed. */
  private static final class Timed extends ForwardingBackend {
    final Set<Object> timers = ConcurrentHashMap.newKeySet();
    private final LockBackend backend;

    Timed(LockBackend backend) {
      this.backend = backend;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public TimeSource time() {
      TimeSource time = backend.time();
      return new ForwardingTime() {
        @Override
        protected TimeSource target() {
          return time;
        }

        @Override
        public Timer schedule(Runnable task, Duration delay) {
          Object key = new Object();
          timers.add(key);
          Timer timer =
              time.schedule(
                  () -> {
                    timers.remove(key);
                    task.run();
                  },
                  delay);
          return () -> {
            timers.remove(key);
            timer.close();
          };
        }
      };
    }
  }

  /** The leases are fixed, and so short beside those of the service that each has a timer. */
  @Test
  void noTimerIsLeftOfAHoldThatHasEnded() {
    Timed timed = new Timed(backend());
    LockService closing = service(timed, builder -> builder.leaseTime(Duration.ofHours(1)));
    Duration fixed = Duration.ofMinutes(2);
    DistributedReadWriteLock rw = closing.getReadWriteLock(name);
    for (DistributedLock each :
        List.of(closing.getLock(name), closing.getFairLock(name + "-fair"), rw.readLock())) {
      LeasedLock lock = each.withLease(fixed);
      for (int i = 0; i < 20; i++) {
        lock.lock();
        lock.unlock();
        Await.value(Await.value(lock.async().acquire()).releaseAsync());
      }
      lock.lock();
      assertTrue(each.forceUnlock());
      assertThrows(LeaseLostException.class, lock::unlock);
    }
    assertTrue(timed.timers.size() < 10, () -> timed.timers.size() + " timers");
    closing.getLock(name + "-held").withLease(fixed).lock();

    closing.close();

    Await.until("no timer is left", timed.timers::isEmpty);
  }

  /** Reads a field by reflection. A hook in the engine would be of no other use. */
  private static Object field(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(of);
    } catch (InaccessibleObjectException e) {
      return Assumptions.abort("the engine is in a module that is not open: " + e.getMessage());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the engine has changed; adapt this test", e);
    }
  }

  @Test
  void noThreadIsLeft() throws InterruptedException {
    assertTrue(isQueued(0)); // opens the test's own connection
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    LockBackend first = backend();
    LockBackend second = backend();
    LockService one = LockService.of(first);
    LockService other = LockService.of(second);
    useAndLeave(one, other, first);

    one.close();
    other.close();
    first.close();
    second.close();

    // The threads that all services of a process share end after some idle seconds.
    Await.until(
        () -> "these threads ended: " + since(before),
        Duration.ofSeconds(20),
        () -> since(before).isEmpty());
  }

  private static Set<String> since(Set<Thread> before) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !before.contains(thread) && thread.isAlive())
        .map(Thread::getName)
        .filter(name -> !name.startsWith("ForkJoinPool") && !name.startsWith("process reaper"))
        .filter(name -> !name.contains("proxy")) // which a test has put before its servers
        .collect(Collectors.toSet());
  }

  @Test
  void aCloseWithHoldersAndWaitersEndsAllOfThem() {
    LockService closing = service(builder -> builder.leaseTime(SECOND));
    LockService staying = service();
    DistributedLock elsewhere = lock(staying, 0);
    elsewhere.lock();
    List<Contender> holders = new ArrayList<>();
    List<Contender> waiters = new ArrayList<>();
    for (int i = 0; i < NAMES; i++) {
      DistributedLock lock = lock(closing, i);
      if (i > 0) {
        holders.add(contender(lock::tryLock));
      }
      waiters.add(contender(() -> lock.tryLock(1, TimeUnit.HOURS)));
      waiters.add(contender(() -> lock.tryLock(1, TimeUnit.HOURS)));
    }
    holders.forEach(holder -> assertTrue(holder.result()));

    closing.close();
    closing.close();

    for (Contender waiter : waiters) {
      assertInstanceOf(LockServiceClosedException.class, waiter.failure());
    }
    elsewhere.unlock();
    LockBackend store = backend();
    for (int i = 0; i < NAMES; i++) {
      String lockName = name + '-' + i;
      passTimeUntil(
          "all leases have ended", SECOND.multipliedBy(5), () -> keys(store, lockName) == 0);
    }
    holders.forEach(holder -> holder.leave(() -> {}));
  }
}
