package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.BackendUnavailableException;
import io.mortise.DistributedSemaphore;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.LogCapture;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Isolated;

/** A store that is farther away than a lease is long. */
@Isolated
class FarStoreTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(13);
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final Duration LATENCY = Duration.ofMillis(900);
  private static final Duration STEP = Duration.ofMillis(300);
  private static final Set<State> AT_REST = Set.of(State.WAITING, State.TERMINATED);
  private static final String SAID = "came after its lease of 400 ms had ended";

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private volatile Duration latency = Duration.ZERO;
  private final LockService far = service(false);
  private final LogCapture log = LogCapture.start();

  @Override
  public String backendName() {
    return "memory-moved-time";
  }

  @AfterEach
  void close() {
    latency = Duration.ZERO;
    log.close();
    far.close();
  }

  private LockService service(boolean retains) {
    return LockService.builder()
        .backend(new Far(store.backend()))
        .leaseTime(LEASE)
        .commandTimeout(Duration.ofSeconds(4))
        .retain(retains ? Duration.ofMillis(100) : Duration.ZERO)
        .executor(Runnable::run)
        .open();
  }

  /** Each reply takes a while; the script runs at once. */
  private final class Far implements LockBackend {
    private final LockBackend to;

    Far(LockBackend to) {
      this.to = to;
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      List<Object> reply = to.execute(call);
      long end = time().nanoTime() + latency.toNanos();
      for (long left = latency.toNanos(); left > 0; left = end - time().nanoTime()) {
        time().parkNanos(this, left);
      }
      return reply;
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      CompletableFuture<List<Object>> reply = to.executeAsync(call);
      if (latency.isZero()) {
        return reply;
      }
      CompletableFuture<List<Object>> late = new CompletableFuture<>();
      TimeSource.Timer unused = time().schedule(() -> late.complete(reply.join()), latency);
      return late;
    }

    @Override
    public Subscription subscribe(String channel, ChannelListener listener) {
      return to.subscribe(channel, listener);
    }

    @Override
    public BackendInfo info() {
      return to.info();
    }

    @Override
    public TimeSource time() {
      return to.time();
    }

    @Override
    public void close() {
      to.close();
    }
  }

  /** What an asynchronous way in returns at once. */
  private record Later(CompletableFuture<?> lease) {}

  /** Each way in that waits without a limit, of each kind. */
  private Map<String, Callable<?>> ways(LockService from, String name) {
    Map<String, Callable<?>> ways = new LinkedHashMap<>();
    for (AnyLock kind : AnyLock.values()) {
      if (kind != AnyLock.RED) {
        ways(ways, kind.name(), kind.of(from, name + kind));
      }
    }
    DistributedSemaphore permits = from.getSemaphore(name + "permits", 1).withLease(SHORT);
    ways.put("permit, acquire", () -> permits.acquire());
    ways.put("permit, acquireUninterruptibly", permits::acquireUninterruptibly);
    ways.put("permit, async", () -> new Later(permits.async(1).acquire()));
    return ways;
  }

  private static void ways(Map<String, Callable<?>> ways, String kind, LeasedLock lock) {
    LeasedLock limited = lock.withLease(SHORT);
    AsyncLock async = limited.async();
    ways.put(kind + ", lock(lease)", () -> done(() -> lock.lock(SHORT)));
    ways.put(kind + ", lock", () -> done(limited::lock));
    ways.put(kind + ", lockInterruptibly", () -> done(limited::lockInterruptibly));
    ways.put(kind + ", acquire", limited::acquire);
    ways.put(kind + ", async", () -> new Later(async.acquire()));
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  private static String done(Step step) throws InterruptedException {
    step.run();
    return "it has the lock";
  }

  @TestFactory
  @Rule({"L10", "L14"})
  Stream<DynamicTest> aWaitWithAShorterLeaseEndsAsAfterFailures() {
    return ways(far, "").keySet().stream()
        .map(way -> DynamicTest.dynamicTest(way, () -> assertEnds(way)));
  }

  private void assertEnds(String way) throws InterruptedException {
    log.clear();
    try (LockService other = LockService.of(store.backend())) {
      Callable<?> call = Objects.requireNonNull(ways(far, way).get(way));
      latency = LATENCY;
      CompletableFuture<Object> end = new CompletableFuture<>();
      Thread thread = new Thread(() -> run(call, end), way);
      thread.setDaemon(true);
      thread.start();
      Duration moved = moveUntilDone(thread, end);
      Throwable why = failure(end);
      assertInstanceOf(BackendUnavailableException.class, why);
      assertTrue(why.toString().contains(SAID), why::toString);
      assertTrue(moved.compareTo(LEASE) >= 0, moved::toString);
      assertTrue(moved.compareTo(LEASE.plusSeconds(10)) < 0, moved::toString);
      List<String> lines = log.lines(SAID);
      assertEquals(1, lines.size(), lines::toString);
      latency = Duration.ZERO;
      store.advance(Duration.ofSeconds(5));
      assertEquals(List.of(), other.find("*", 10), "nothing is left in the store");
    } finally {
      latency = Duration.ZERO;
    }
  }

  private static void run(Callable<?> call, CompletableFuture<Object> end) {
    try {
      if (call.call() instanceof Later later) {
        var unused = later.lease().whenComplete((lease, why) -> ended(why, end));
      } else {
        ended(null, end);
      }
    } catch (Exception e) {
      end.completeExceptionally(e);
    }
  }

  private static void ended(@Nullable Throwable why, CompletableFuture<Object> end) {
    if (why != null) {
      end.completeExceptionally(why);
    } else {
      end.complete("it has the lock");
    }
  }

  /** Time does not move before the thread waits, however slowly the machine runs it. */
  private Duration moveUntilDone(Thread thread, CompletableFuture<?> end) {
    Duration moved = Duration.ZERO;
    while (!end.isDone() && moved.compareTo(LEASE.multipliedBy(4)) < 0) {
      Await.until("the thread waits", () -> end.isDone() || AT_REST.contains(thread.getState()));
      store.advance(STEP);
      moved = moved.plus(STEP);
    }
    return moved;
  }

  private static Throwable failure(CompletableFuture<?> end) {
    assertTrue(end.isDone(), "it never returns");
    try {
      return new AssertionError("it did not fail: " + end.join());
    } catch (CompletionException e) {
      return Objects.requireNonNull(e.getCause());
    }
  }

  @Test
  @Rule("L5")
  void aTimedWaitGoesOnToItsEndAndFails() throws InterruptedException {
    for (AnyLock kind : List.of(AnyLock.PLAIN, AnyLock.WRITE)) {
      LeasedLock lock = kind.of(far, "timed" + kind).withLease(SHORT);
      latency = LATENCY;
      CompletableFuture<Object> end = new CompletableFuture<>();
      Thread thread = new Thread(() -> run(() -> lock.tryLock(40, TimeUnit.SECONDS), end), "timed");
      thread.setDaemon(true);
      thread.start();
      Duration moved = moveUntilDone(thread, end);
      assertInstanceOf(BackendUnavailableException.class, failure(end));
      assertTrue(moved.compareTo(Duration.ofSeconds(40)) >= 0, moved::toString);
      latency = Duration.ZERO;
    }
  }

  @Test
  @Rule("L10")
  void aLateAnswerNowAndThenDoesNotEndAWait() throws InterruptedException {
    LeasedLock lock = far.getLock("now and then").withLease(SHORT);
    try (LockService other = LockService.of(store.backend())) {
      CompletableFuture<Object> end = new CompletableFuture<>();
      latency = LATENCY;
      Thread thread = new Thread(() -> run(() -> done(lock::lock), end), "patient");
      thread.setDaemon(true);
      thread.start();
      store.awaitParked(1);
      store.advance(Duration.ofMillis(850)); // the answer is on its way, and its lease over
      latency = Duration.ZERO;
      other.getLock("now and then").lock();
      store.advance(LEASE.multipliedBy(2)); // it waits in the queue, and hears that in time
      latency = LATENCY;
      other.getLock("now and then").unlock();
      store.advance(Duration.ofMillis(850));
      latency = Duration.ZERO;
      moveUntilDone(thread, end);
      assertEquals("it has the lock", end.join());
    }
  }
}
