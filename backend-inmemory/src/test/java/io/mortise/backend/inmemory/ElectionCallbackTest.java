package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callbacks of an election that block, throw or come late, and the threads on which they run. */
class ElectionCallbackTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final Deque<LockService> open = new ArrayDeque<>();
  private final CountDownLatch goesOn = new CountDownLatch(1);

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    goesOn.countDown();
    open.forEach(LockService::close);
  }

  private LockService service() {
    LockService service = LockService.builder().backend(store.backend()).leaseTime(LEASE).open();
    open.add(service);
    return service;
  }

  private LockService service(Executor executor) {
    LockService service =
        LockService.builder().backend(store.backend()).leaseTime(LEASE).executor(executor).open();
    open.add(service);
    return service;
  }

  /** A leader whose {@code onElected} waits for the test. */
  private Candidate busy(LockService by) {
    Candidate leader = Candidate.of(by);
    leader.onElected = term -> await();
    leader.join();
    Await.until("onElected runs", () -> leader.elections() == 1);
    return leader;
  }

  private void await() {
    try {
      goesOn.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void runAll(Deque<Runnable> tasks) {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  // Callbacks that block

  @Test
  @Rule({"E3", "E4", "L8"})
  void aSlowOnElectedDelaysNeitherItsRenewalNorAnotherService() {
    Candidate slow = busy(service());
    Candidate next = Candidate.joined(service());
    Candidate other = Candidate.of(service());
    CompletableFuture<Void> elsewhere =
        other.service.getLock("other").async().acquire().thenAccept(lease -> lease.close());
    Await.value(elsewhere); // before time moves: its lease is renewed once it has come
    store.advance(LEASE.multipliedBy(10));

    assertTrue(slow.leads());
    assertFalse(next.leads());
    CompletableFuture<Void> free = slow.election().stepDown(LEASE);
    store.advance(LEASE);
    assertFalse(slow.leads());
    assertFalse(free.isDone());
    assertTrue(next.lock.isLocked());
    assertEquals(List.of("elected 1"), slow.told);

    goesOn.countDown();
    Await.value(free);
    assertEquals(List.of("elected 1", "revoked 1"), slow.told);
    Await.until("the next one leads", () -> next.elections() == 1);
  }

  @Test
  @Rule({"E3", "E5"})
  void aLossDuringOnElectedIsToldAfterIt() {
    ExecutorOfThreads executor = new ExecutorOfThreads(ThreadKind.PLATFORM);
    Candidate slow = busy(service(executor));
    assertTrue(service().getFencedLock(Candidate.NAME).forceUnlock());

    assertFalse(slow.leads());
    Await.until("the loss is known", () -> executor.idle() == 1);
    assertEquals(List.of("elected 1"), slow.told);
    goesOn.countDown();
    Await.until("it leads again", () -> slow.elections() == 2);
    assertEquals(List.of("elected 1", "revoked 1 FORCED", "elected 2"), slow.told);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"E3", "E4", "E8"})
  void closeWaitsForACallbackOnAnotherThread(ThreadKind kind) {
    Candidate slow = busy(service(new ExecutorOfThreads(kind)));
    FencedLock looked = service().getFencedLock(Candidate.NAME);
    CompletableFuture<Boolean> closed = closing(kind, slow);
    store.awaitParked(1);
    assertFalse(slow.leads());
    assertTrue(looked.isLocked());
    assertFalse(closed.isDone());

    goesOn.countDown();

    assertFalse(Await.value(closed), "not interrupted");
    assertEquals(List.of("elected 1", "revoked 1"), slow.told);
    Await.until("the lock is free", () -> !looked.isLocked());
  }

  @Test
  @Rule({"E3", "E8", "L4"})
  void anInterruptEndsTheWaitOfClose() throws InterruptedException {
    Candidate slow = busy(service(new ExecutorOfThreads(ThreadKind.PLATFORM)));
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    Thread closer =
        ThreadKind.PLATFORM.start(() -> {
          slow.election().close();
          closed.complete(Thread.interrupted());
        });
    store.awaitParked(1);

    closer.interrupt();

    assertTrue(Await.value(closed), "the flag stays set");
    assertEquals(List.of("elected 1"), slow.told);
    goesOn.countDown();
    Await.until("onRevoked follows", () -> slow.told.size() == 2);
    Await.until("the lock is free", () -> !slow.lock.isLocked());
  }

  private static CompletableFuture<Boolean> closing(ThreadKind kind, Candidate candidate) {
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    kind.start(() -> {
      candidate.election().close();
      closed.complete(Thread.interrupted());
    });
    return closed;
  }

  // Callbacks that call back

  @Test
  @Rule({"E3", "E8"})
  void aCallbackMayCloseItsElectionOrStepDown() {
    Candidate leader = Candidate.of(service());
    List<String> seen = new ArrayList<>();
    leader.onElected =
        term -> {
          seen.add(leader.leads() + " " + leader.election().term().isPresent());
          CompletableFuture<Void> unused = leader.election().stepDown(Duration.ZERO);
          seen.add(leader.leads() + " " + leader.told.size());
          if (leader.elections() == 3) {
            leader.election().close();
          }
        };
    leader.onRevoked = () -> leader.election().close();
    LockService late = service();
    FencedLock lock = late.getFencedLock(Candidate.NAME);
    lock.lock(); // so that it is elected after join has returned
    leader.join();
    lock.unlock();

    Await.until("it is closed", () -> leader.election().toString().contains("closed"));
    Await.until("the lock is free", () -> !lock.isLocked());
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertEquals(List.of("true true", "false 1"), seen);
  }

  // Callbacks that throw

  @Test
  @Rule({"E3", "E6"})
  void aLeaderThatFailsToBeginStepsDownForTwiceTheTimeOfBefore() {
    Candidate broken = Candidate.of(service(Runnable::run));
    broken.onElected =
        term -> {
          if (broken.elections() % 2 == 0) {
            throw new IllegalStateException("the test fails");
          }
          throw new AssertionError("so it does");
        };
    broken.join();
    Candidate other = Candidate.joined(service(Runnable::run));
    assertEquals(List.of("elected 1", "revoked 1"), broken.told);
    assertTrue(other.leads());
    other.election().close();
    store.advance(Duration.ofSeconds(1)); // the first pause
    int elections = 2;
    for (int pause : List.of(2, 4, 8, 16, 32, 60, 60)) {
      assertEquals(elections, broken.elections());
      assertEquals(2 * elections, broken.told.size());
      store.advance(Duration.ofSeconds(pause).minusMillis(1));
      assertEquals(elections, broken.elections(), "before " + pause);
      store.advance(Duration.ofMillis(1));
      elections++;
    }
    broken.onElected = term -> {};
    store.advance(Duration.ofMinutes(1));
    assertTrue(broken.leads());
    broken.onElected =
        term -> {
          throw new IllegalStateException("again");
        };
    int before = broken.elections();
    CompletableFuture<Void> unused = broken.election().stepDown(Duration.ZERO);
    assertEquals(before + 1, broken.elections());
    store.advance(Duration.ofSeconds(1)); // the first pause again
    assertEquals(before + 2, broken.elections());
  }

  @Test
  @Rule({"E3", "E4"})
  void anOnRevokedThatThrowsGivesTheLockBackToo() {
    Candidate broken = Candidate.joined(service(Runnable::run));
    broken.onRevoked =
        () -> {
          throw new AssertionError("the test fails");
        };
    Candidate other = Candidate.joined(service(Runnable::run));
    assertTrue(broken.election().stepDown(Duration.ZERO).isDone());
    assertTrue(other.leads());
    other.election().close();
    assertTrue(broken.leads());
    broken.election().close();
    assertFalse(other.lock.isLocked());
    assertEquals(List.of("elected 1", "revoked 1", "elected 2", "revoked 2"), broken.told);
  }

  // Threads

  @Test
  @Rule("E3")
  void callbacksRunOnTheExecutorAndThatOfCloseOnItsThread() {
    Candidate leader = Candidate.of(service());
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    leader.onElected = term -> threads.add(Thread.currentThread().getName());
    leader.onRevoked = () -> threads.add(Thread.currentThread().getName());
    leader.join();
    Await.until("it leads", () -> threads.size() == 1);
    Await.value(leader.election().stepDown(Duration.ZERO));
    Await.until("it leads again", () -> threads.size() == 3);
    leader.election().close();

    String here = Thread.currentThread().getName();
    assertEquals(
        List.of("mortise-events", "mortise-events", "mortise-events", here), List.copyOf(threads));
  }

  @Test
  @Rule({"E3", "E8"})
  void closeDoesNotNeedTheExecutor() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    LockService stuck = service(tasks::add);
    FencedLock looked = service().getFencedLock(Candidate.NAME);

    Candidate early = Candidate.joined(stuck);
    assertTrue(looked.isLocked());
    tasks.remove().run(); // the lease is there, and the election is yet to hear of it
    early.election().close();
    assertFalse(looked.isLocked());
    runAll(tasks);
    assertEquals(List.of(), early.told);

    Candidate leader = Candidate.joined(stuck);
    runAll(tasks);
    assertTrue(leader.leads());
    CompletableFuture<Void> free = leader.election().stepDown(LEASE);
    leader.election().close();
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertFalse(looked.isLocked());
    assertTrue(free.isDone());
    runAll(tasks);

    Candidate last = Candidate.joined(stuck);
    runAll(tasks);
    CompletableFuture<Void> released = last.election().stepDown(LEASE);
    tasks.remove().run(); // what follows the release is yet to run
    assertFalse(looked.isLocked());
    last.election().close();
    runAll(tasks);
    assertTrue(released.isDone());
    store.advance(LEASE.multipliedBy(2));
    runAll(tasks);
    assertEquals(List.of("elected 1", "revoked 1"), last.told);
    assertEquals(2, leader.told.size());
  }

  @Test
  @Rule({"E3", "E8"})
  void anotherCallbackOnTheOnlyThreadMayClose() {
    Candidate leader = Candidate.joined(service());
    Await.until("it leads", () -> leader.elections() == 1);
    CompletableFuture<Void> closed =
        leader
            .service
            .getLock("other")
            .async()
            .acquire()
            .thenAccept(lease -> {
              CompletableFuture<Void> unused = leader.election().stepDown(LEASE);
              leader.election().close();
            });
    Await.value(closed);
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertFalse(leader.lock.isLocked());
  }

  /** As the I/O thread of a client, over which the replies come. */
  @Test
  @Rule({"E8", "L18"})
  void aThreadThatMustNotParkIsRefusedBeforeAnythingHasHappened() {
    AtomicBoolean refuses = new AtomicBoolean();
    LockService service =
        LockService.builder()
            .backend(new Refusing(store.backend(), refuses))
            .executor(Runnable::run)
            .open();
    open.add(service);
    Candidate leader = Candidate.joined(service);
    refuses.set(true);

    assertThrows(IllegalStateException.class, () -> leader.election().close());
    assertTrue(leader.leads());
    leader.onRevoked = () -> leader.election().close(); // waits for nothing
    assertTrue(leader.election().stepDown(Duration.ZERO).isDone());
    assertEquals(List.of("elected 1", "revoked 1"), leader.told);
    assertEquals("LeaderElection[reports, closed]", leader.election().toString());
    refuses.set(false);
  }

  /** A backend whose time may refuse to park. */
  private static final class Refusing extends ForwardingBackend {
    private final LockBackend backend;
    private final AtomicBoolean refuses;

    Refusing(LockBackend backend, AtomicBoolean refuses) {
      this.backend = backend;
      this.refuses = refuses;
    }

    @Override
    protected LockBackend target() {
      return backend;
    }

    @Override
    public TimeSource time() {
      return new ForwardingTime() {
        @Override
        protected TimeSource target() {
          return backend.time();
        }

        @Override
        public void checkMayPark() {
          if (refuses.get()) {
            throw new IllegalStateException("this thread must not park");
          }
        }
      };
    }
  }

  /** Each task in a thread of its own, so nothing but the election keeps an order. */
  private static final class ExecutorOfThreads implements Executor {
    private final ThreadKind kind;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    ExecutorOfThreads(ThreadKind kind) {
      this.kind = kind;
    }

    @Override
    public void execute(Runnable task) {
      begun.incrementAndGet();
      kind.start(() -> {
        task.run();
        ended.incrementAndGet();
      });
    }

    /** How many tasks have not ended. */
    int idle() {
      return begun.get() - ended.get();
    }
  }

  /** No term begins before the one before it has ended, if no lease is lost. */
  @ParameterizedTest
  @EnumSource
  @Rule({"E1", "E2", "E3", "E4"})
  void termsFollowOneAnotherOnAnyThreads(ThreadKind kind) {
    InMemoryStore real = InMemoryStore.create();
    Queue<Long> terms = new ConcurrentLinkedQueue<>();
    AtomicInteger leading = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Candidate> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      LockService service =
          LockService.builder()
              .backend(real.backend())
              .executor(new ExecutorOfThreads(kind))
              .open();
      open.add(service);
      Candidate each = Candidate.of(service);
      each.onElected =
          term -> {
            most.accumulateAndGet(leading.incrementAndGet(), Math::max);
            terms.add(term);
          };
      each.onRevoked = leading::decrementAndGet;
      all.add(each.join());
    }
    for (int i = 0; i < 300; i++) {
      Candidate any = all.get(ThreadLocalRandom.current().nextInt(10));
      CompletableFuture<Void> unused = any.election().stepDown(Duration.ofMillis(i % 3));
      Thread.onSpinWait();
    }
    Await.until(
        "terms come and go",
        () -> {
          for (Candidate each : all) {
            CompletableFuture<Void> unused = each.election().stepDown(Duration.ZERO);
          }
          return terms.size() > 30;
        });
    all.forEach(each -> each.election().close());

    assertEquals(1, most.get());
    assertEquals(0, leading.get());
    assertEquals(terms.stream().sorted().distinct().toList(), List.copyOf(terms));
    all.forEach(ElectionCallbackTest::assertInOrder);
    Await.until("the lock is free", () -> !all.get(0).lock.isLocked());
  }

  private static void assertInOrder(Candidate candidate) {
    List<String> right = new ArrayList<>();
    for (int i = 1; i <= candidate.elections(); i++) {
      right.add("elected " + i);
      right.add("revoked " + i);
    }
    assertEquals(right, candidate.told);
  }
}
