package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.Deadlock;
import io.mortise.DeadlockException;
import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LockListener;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.backend.inmemory.DeadlockWorld.Party;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deadlocks in a store whose time is moved: which are told, when, and what a break does. */
class DeadlockTest implements BackendUnderTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  private final LogCapture log = LogCapture.start();
  private final DeadlockWorld world = new DeadlockWorld();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    world.close();
    log.close();
  }

  private Party party(String name, Lock first, Lock then) {
    return world.new Party(name, first, then);
  }

  private static Lock lock(LockService service, String name) {
    return service.getLock(name);
  }

  /** Two threads of these services, of which the second is the younger. */
  private void crossed(LockService one, LockService other) {
    Party old = party("old", lock(one, "a"), lock(one, "b"));
    Party young = party("young", lock(other, "b"), lock(other, "a"));
    old.waits();
    young.waits();
  }

  @Test
  @Rule("L30")
  void twoThreadsThatWaitForEachOtherAreToldOnceWithAllThatIsKnown() {
    LockService one = world.service();
    LockService other = world.service();
    crossed(one, other);

    assertEquals(List.of("young", "old"), world.names());

    Deadlock.Party young = world.told.get(0).parties().get(0);
    assertEquals(other.clientId(), young.clientId());
    assertEquals(ProcessHandle.current().pid(), young.pid());
    assertEquals("lock 'b'", young.holds());
    assertEquals("lock 'a'", young.waitsFor());
    assertTrue(young.waitingFor().compareTo(Duration.ofSeconds(2)) >= 0, young.toString());
    assertTrue(young.stack().get(0).contains("DeadlockWorld"), young.toString());
    String text = log.text();
    assertEquals(1, text.split("deadlock of 2 threads", -1).length - 1, text);
    assertTrue(text.contains("thread old holds lock 'a' and waits for lock 'b'"), text);
    assertTrue(text.contains("docs/deadlocks.md"), text);
  }

  @Test
  @Rule("L30")
  void soAreTwoThreadsOfOneService() {
    LockService one = world.service();
    crossed(one, one);

    assertEquals(List.of("young", "old"), world.names());
  }

  @Test
  @Rule("L30")
  void soAreFiveOfThemThroughEachKindOfExclusiveLock() {
    List<Party> all = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      all.add(party("p" + i, kind(i), kind((i + 1) % 5)));
    }
    all.forEach(Party::waits);

    assertEquals(List.of("p4", "p0", "p1", "p2", "p3"), world.names());
  }

  /** The lock of that number: each is plain, fair or fenced for all that use it. */
  private Lock kind(int lock) {
    LockService service = world.service();
    String name = "n" + lock;
    return switch (lock % 3) {
      case 0 -> service.getLock(name);
      case 1 -> service.getFairLock(name);
      default -> service.getFencedLock(name);
    };
  }

  @Test
  @Rule("L30")
  void aThreadBehindAnAgentOfItsServiceIsFound() {
    LockService one = world.service();
    LockService other = world.service();
    Party holder = party("holder", lock(other, "b"), lock(other, "a"));
    Party agent = party("agent", lock(one, "c"), lock(one, "b"));
    Party behind = party("behind", lock(one, "a"), lock(one, "b"));
    agent.waits();
    behind.waits();
    holder.waits();

    assertEquals(List.of("holder", "behind"), world.names());
  }

  @Test
  @Rule("L30")
  void aHoldThatWasHandedOffIsThatOfTheThreadThatHasItNow() throws InterruptedException {
    LockService one = world.service();
    LockService other = world.service();
    Lock handed = lock(one, "a");
    handed.lock();
    CompletableFuture<Party> next = new CompletableFuture<>();
    Thread making = new Thread(() -> next.complete(party("next", handed, lock(one, "b"))));
    making.start();
    world.store.awaitParked(1);
    handed.unlock();
    Party has = next.join();
    Party young = party("young", lock(other, "b"), lock(other, "a"));
    has.waits();
    young.waits();

    assertEquals(List.of("young", "next"), world.names());
    making.join();
  }

  @Test
  @Rule("L30")
  void readersAreFollowedOneByOne() {
    DistributedReadWriteLock one = world.service().getReadWriteLock("rw");
    LockService other = world.service();
    Party idle = party("idle", one.readLock(), lock(other, "unused"));
    Party reads = party("reads", one.readLock(), lock(other, "b"));
    Party writes = party("writes", lock(other, "b"), other.getReadWriteLock("rw").writeLock());
    reads.waits();
    writes.waits();

    assertEquals(List.of("writes", "reads"), world.names());
    assertEquals("read lock 'rw'", world.told.get(0).parties().get(1).holds());
    idle.interrupt(); // it held the same lock, and did not wait
  }

  @Test
  @Rule("L30")
  void soAreReadersThatWaitBehindAWriter() {
    LockService one = world.service();
    LockService other = world.service();
    LockService third = world.service();
    Party reads = party("reads", one.getReadWriteLock("rw").readLock(), lock(one, "b"));
    Party writes = party("writes", lock(other, "c"), other.getReadWriteLock("rw").writeLock());
    Party late = party("late", lock(third, "b"), third.getReadWriteLock("rw").readLock());
    writes.waits();
    reads.waits();
    late.waits();

    assertEquals(List.of("late", "reads"), world.names());
  }

  @Test
  @Rule("L30")
  void threadsOfTwoStoresAndTwoServicesOfOneProcessAreFound() {
    try (DeadlockWorld second = new DeadlockWorld()) {
      LockService here = world.service();
      LockService there = second.service();
      Party one = party("one", lock(here, "a"), lock(there, "b"));
      Party two = second.new Party("two", lock(there, "b"), lock(here, "a"));
      one.goes();
      two.goes();
      for (int i = 0; i < 90; i++) {
        world.store.advance(Duration.ofMillis(100));
        second.store.advance(Duration.ofMillis(100));
      }

      assertEquals(1, world.told.size() + second.told.size());
      one.interrupt();
    }
  }

  @Test
  @Rule("L30")
  void virtualThreadsAreFound() throws ReflectiveOperationException {
    assumeTrue(Runtime.version().feature() >= 21, "this JDK has no virtual threads");
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Method unstarted = type.getMethod("unstarted", Runnable.class);
    Method named = type.getMethod("name", String.class);
    LockService one = world.service();
    LockService other = world.service();
    DeadlockWorld.UnaryThread virtual =
        body -> {
          try {
            return (Thread) unstarted.invoke(named.invoke(builder, "virtual"), body);
          } catch (ReflectiveOperationException e) {
            throw new LinkageError("a virtual thread", e);
          }
        };
    Party old = world.new Party(virtual, lock(one, "a"), lock(one, "b"));
    Party young = world.new Party(virtual, lock(other, "b"), lock(other, "a"));
    old.waits();
    young.waits();

    assertEquals(List.of("virtual", "virtual"), world.names());
    assertTrue(!world.told.get(0).parties().get(0).stack().isEmpty());
  }

  @Test
  @Rule("L30")
  void aTimedWaitIsAWait() {
    LockService one = world.service();
    LockService other = world.service();
    Party old = party("old", lock(one, "a"), timed(one.getLock("b")));
    Party young = party("young", lock(other, "b"), timed(other.getLock("a")));
    old.waits();
    young.waits();

    assertEquals(List.of("young", "old"), world.names());
    String top = world.told.get(0).parties().get(0).stack().get(0);
    assertTrue(top.contains("DeadlockTest"), top); // not LeasedLock.tryLock(Duration)
  }

  /** A lock whose interruptible wait ends after an hour. */
  private static Lock timed(DistributedLock lock) {
    return (Lock)
        Proxy.newProxyInstance(
            DeadlockTest.class.getClassLoader(),
            new Class<?>[] {Lock.class},
            (proxy, method, args) -> {
              if (method.getName().equals("lockInterruptibly")) {
                boolean unused = lock.tryLock(Duration.ofHours(1));
                return null;
              }
              try {
                return method.invoke(lock, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  // What is no deadlock, or is not looked for

  @Test
  @Rule("L30")
  void threadsThatHoldAndDoNotWaitOrWaitAndDoNotHoldSendNothing() {
    LockService one = world.service();
    LockService other = world.service();
    Party waits = party("waits", lock(one, "unused"), lock(one, "b"));
    lock(other, "b").lock();
    world.store.advance(LONG);
    assertEquals(0, world.probes(), "two that hold");

    waits.goes();
    world.store.advance(Duration.ofMillis(1_900));
    assertEquals(0, world.probes(), "a wait of less than two seconds");

    world.store.advance(LONG);
    assertTrue(world.probes() > 0, "it holds, and waits");
    assertEquals(List.of(), world.told);
    lock(other, "b").unlock();
    waits.end();
  }

  @Test
  @Rule("L30")
  void aThreadThatOnlyWaitsSendsNothing() throws InterruptedException {
    LockService one = world.service();
    Lock held = lock(world.service(), "b");
    held.lock();
    Thread waiting =
        new Thread(() -> {
          lock(one, "b").lock();
          lock(one, "b").unlock();
        });
    waiting.start();
    world.store.awaitParked(1);
    world.store.advance(LONG);

    assertEquals(0, world.probes());
    held.unlock();
    waiting.join();
  }

  @Test
  @Rule("L30")
  void permitsAndLeasesEndAWalk() throws InterruptedException {
    LockService one = world.service();
    LockService other = world.service();
    DistributedSemaphore permits = one.getSemaphore("s");
    assertTrue(permits.trySetPermits(1));
    List<Party> all =
        List.of(
            party("has a lease", leased(one.getLock("b")), lock(one, "a")),
            party("waits for it", lock(other, "a"), lock(other, "b")),
            party("has a permit", permit(permits), lock(one, "c")),
            party("waits for one", lock(other, "c"), permit(other.getSemaphore("s"))));
    all.forEach(Party::begins);
    world.store.awaitParked(all.size());

    assertEquals(List.of(), world.looked());
    all.get(0).interrupt();
    all.get(2).interrupt();
    assertEquals(Optional.empty(), all.get(1).end());
    assertEquals(Optional.empty(), all.get(3).end());
  }

  /** A lock that is held by a lease. */
  private static Lock leased(DistributedLock lock) {
    return leased(lock::acquire);
  }

  /** A permit as a lock. */
  private static Lock permit(DistributedSemaphore permits) {
    return leased(permits::acquire);
  }

  private static Lock leased(Callable<Lease> request) {
    AtomicReference<Lease> lease = new AtomicReference<>();
    return (Lock)
        Proxy.newProxyInstance(
            DeadlockTest.class.getClassLoader(),
            new Class<?>[] {Lock.class},
            (proxy, method, args) -> {
              if (method.getName().equals("unlock")) {
                lease.get().close();
              } else {
                lease.set(request.call());
              }
              return null;
            });
  }

  @Test
  @Rule("L30")
  void aChainThatEndsIsNone() {
    LockService one = world.service();
    LockService other = world.service();
    Lock last = lock(world.service(), "c");
    last.lock();
    Party middle = party("middle", lock(other, "b"), lock(other, "c"));
    Party first = party("first", lock(one, "a"), lock(one, "b"));
    middle.waits();
    first.waits();

    assertEquals(List.of(), world.looked());
    last.unlock();
    assertEquals(Optional.empty(), first.end());
  }

  // Breaking

  @Test
  @Rule("L30")
  void theYoungestWaitIsBrokenAndTheOthersGoOn() {
    LockService one = world.breaking();
    LockService other = world.breaking();
    Party old = party("old", lock(one, "a"), lock(one, "b"));
    Party young = party("young", lock(other, "b"), lock(other, "a"));
    old.waits();
    young.waits();
    world.store.advance(DeadlockWorld.THREE_LOOKS);

    DeadlockException broken = assertInstanceOf(DeadlockException.class, young.end().orElseThrow());
    assertEquals("young", broken.deadlock().parties().get(0).threadName());
    String said = String.valueOf(broken.getMessage());
    assertTrue(said.contains("'b'"), said);
    assertEquals(Optional.empty(), old.end());
    assertEquals(1, world.told.size());
    assertEquals("DeadlockWorld.java", broken.getStackTrace().length == 0 ? "" : frame(broken));
  }

  /** Where the application was: the exception is made on the thread that waited. */
  private static String frame(Throwable of) {
    for (StackTraceElement each : of.getStackTrace()) {
      if (each.getClassName().contains("DeadlockWorld")) {
        return String.valueOf(each.getFileName());
      }
    }
    return "none";
  }

  @Test
  @Rule("L30")
  void aBrokenMultiLockHoldsNothing() {
    LockService one = world.breaking();
    LockService other = world.breaking();
    Lock both = MultiLock.of(other.getLock("a"), other.getLock("d"));
    Party old = party("old", lock(one, "d"), lock(one, "b"));
    Party young = party("young", lock(other, "b"), both);
    old.waits();
    young.waits();
    world.store.advance(DeadlockWorld.THREE_LOOKS);

    assertInstanceOf(DeadlockException.class, young.end().orElseThrow());
    assertEquals(Optional.empty(), old.end());
    DistributedLock free = world.service().getLock("a");
    assertTrue(free.tryLock());
    free.unlock();
  }

  /** Otherwise its thread would leave await() without its lock, and fail in unlock(). */
  @Test
  @Rule("L30")
  void theWaitThatLocksAgainAfterASignalIsToldAndNotBroken() {
    LockService one = world.breaking();
    LockService other = world.breaking();
    CompletableFuture<Boolean> signalled = new CompletableFuture<>();
    Thread waits = new Thread(() -> awaitsSignal(other, signalled), "waits");
    waits.start();
    world.store.awaitParked(1);
    Party old = party("old", lock(one, "a"), lock(one, "b"));
    old.waits();
    world.store.advance(Duration.ofSeconds(5)); // its time is over, and it locks again

    assertEquals(List.of("waits", "old"), world.names());
    old.interrupt();
    assertEquals(false, Await.value(signalled));
  }

  @SuppressWarnings("WaitNotInLoop") // its time ends it
  private static void awaitsSignal(LockService service, CompletableFuture<Boolean> signalled) {
    Lock a = lock(service, "a");
    Condition condition = a.newCondition();
    lock(service, "b").lock();
    a.lock();
    try {
      signalled.complete(condition.await(5, TimeUnit.SECONDS));
      a.unlock();
    } catch (InterruptedException | RuntimeException e) {
      signalled.completeExceptionally(e);
    }
    lock(service, "b").unlock();
  }

  // Bad input

  @Test
  @Rule({"L18", "L30"})
  void aListenerThatThrowsHurtsNothing() {
    LockListener throwing =
        new LockListener() {
          @Override
          public void deadlocked(Deadlock deadlock) {
            throw new IllegalStateException("a listener");
          }
        };
    LockService one = world.service(options -> options.listener(throwing).breakDeadlocks(true));
    Party old = party("old", lock(one, "a"), lock(one, "b"));
    Party young = party("young", lock(one, "b"), lock(one, "a"));
    old.waits();
    young.waits();
    world.store.advance(DeadlockWorld.THREE_LOOKS);

    assertEquals(1, world.told.size());
    assertInstanceOf(DeadlockException.class, young.end().orElseThrow());
    assertEquals(Optional.empty(), old.end());
  }
}
