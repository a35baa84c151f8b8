package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Both libraries on one lock of a cluster, in threads that never pause, while the lock's slot moves
 * and its master is killed. Every acquisition waits for a replica, as Redisson's do by default. So
 * the next master has it.
 */
@Tag("all")
@Tag("once")
@ParameterizedClass
@ValueSource(strings = {"jedis", "lettuce"})
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class RedissonClusterTest implements BackendUnderTest {
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How often each side must have held the lock after each event. */
  private static final int SHARE = 10;

  private static @Nullable RedisCluster cluster;

  private final String provider;
  private final String name = "orders:" + UUID.randomUUID();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final AtomicLong ours = new AtomicLong();
  private final AtomicLong theirs = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile String lastFailure = "none";
  private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();
  private final Queue<String> overlaps = new ConcurrentLinkedQueue<>();

  RedissonClusterTest(String provider) {
    this.provider = provider;
  }

  @Override
  public String backendName() {
    return "redisson-and-" + provider + "-cluster";
  }

  @BeforeAll
  static void startCluster() {
    cluster = RedisCluster.start(Duration.ofSeconds(2));
  }

  @AfterAll
  static void endCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  /** One way to hold the lock. */
  private record Worker(Runnable lock, Runnable unlock, AtomicLong stays) {}

  private Worker ourWorker(RedisCluster on) {
    LockService service =
        LockService.builder()
            .uri(on.uri().toString())
            .provider(provider)
            .leaseTime(LEASE)
            .redissonInterop(true)
            .replicaAcks(1, Duration.ofMillis(500))
            .open();
    open.addFirst(service);
    var lock = service.getLock(name);
    return new Worker(lock::lock, lock::unlock, ours);
  }

  /**
   * Its lease is not renewed: an acquisition that Redisson loses track of must end. Redisson sends
   * a command again if its reply was lost. So it may have counted one acquisition twice, and one
   * unlock does not free the lock.
   */
  private Worker theirWorker(RedisCluster on, Duration lease) {
    RedissonClient client = Site.client(on.uri(), LEASE);
    open.addFirst(() -> client.shutdown(0, 5, TimeUnit.SECONDS));
    RLock lock = client.getLock(name);
    return new Worker(
        () -> lock.lock(lease.toMillis(), TimeUnit.MILLISECONDS),
        () -> {
          lock.unlock();
          while (lock.isHeldByCurrentThread()) {
            lock.unlock();
          }
        },
        theirs);
  }

  @Test
  @Rule({"RS1", "RS2", "RS3", "B23", "L1"})
  void nobodyIsInsideTwiceWhileASlotMovesAndAMasterIsKilled(Figures figures) throws Exception {
    RedisCluster on = Objects.requireNonNull(cluster);
    List<Worker> workers =
        List.of(ourWorker(on), ourWorker(on), theirWorker(on, LEASE), theirWorker(on, LEASE));
    AtomicBoolean over = new AtomicBoolean();
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            workers.size(),
            number -> {
              while (!over.get()) {
                stay(workers.get(number));
              }
            });
    try {
      awaitShares("at the start", SHARE, figures);
      int slot = on.slot(name);
      RedisServer killed = on.owner(slot);
      killed.kill();
      Await.until("the replica is the master", PATIENCE, () -> on.ownerOrNull(slot) != null);
      killed.restart();
      on.awaitHealthy();
      awaitShares("after a kill of the master", SHARE, figures);
      on.move(slot, on.otherThan(slot));
      // Waiters of Redisson do not follow the slot, also without Mortise. They poll from then on.
      awaitShares("after a move of the slot", 0, figures);
    } finally {
      over.set(true);
      crew.join(PATIENCE);
    }
    figures.add(backendName() + ", calls that failed meanwhile", failures.toString());
    assertEquals(List.of(), List.copyOf(overlaps));
  }

  @Test
  @Rule({"RS2", "B23", "L10"})
  void ourWaiterFollowsTheSlotAndIsWokenByTheirUnlock(Figures figures) throws Exception {
    RedisCluster on = Objects.requireNonNull(cluster);
    Worker mine = ourWorker(on);
    Worker holder = theirWorker(on, Duration.ofSeconds(60));
    holder.lock.run();
    CompletableFuture<Long> insideAt =
        CompletableFuture.supplyAsync(
            () -> {
              mine.lock.run();
              long now = System.nanoTime();
              mine.unlock.run();
              return now;
            },
            command -> new Thread(command, "waiting").start());
    int slot = on.slot(name);
    Await.until("it listens", PATIENCE, () -> listeners(on.owner(slot)).endsWith(", 1]"));
    on.move(slot, on.otherThan(slot));
    Await.until("it listens there", PATIENCE, () -> listeners(on.owner(slot)).endsWith(", 1]"));
    long freedAt = System.nanoTime();
    holder.unlock.run();
    long slept = (insideAt.get(60, TimeUnit.SECONDS) - freedAt) / 1_000_000;
    figures.add(backendName() + ", woken after a move of the slot (ms)", String.valueOf(slept));
    assertTrue(slept < 1_500, "it slept " + slept + " ms, as without a message");
  }

  private String listeners(RedisServer node) {
    String channel = "redisson_lock__channel:{" + name + '}';
    return String.valueOf(node.command("PUBSUB", "SHARDNUMSUB", channel));
  }

  private String listenersOfAll() {
    return Objects.requireNonNull(cluster).nodes().stream()
        .map(node -> node.port() + " " + listeners(node))
        .toList()
        .toString();
  }

  /** Waits until both sides have held the lock often enough from now on. */
  private void awaitShares(String when, int theirShare, Figures figures) {
    long start = System.nanoTime();
    long before = ours.get();
    long theirsBefore = theirs.get();
    Await.until(
        () ->
            "stays %s: %s and %s; calls that failed: %s, the last: %s; listeners: %s"
                .formatted(when, ours, theirs, failures, lastFailure, listenersOfAll()),
        PATIENCE,
        () -> ours.get() - before >= SHARE && theirs.get() - theirsBefore >= theirShare);
    figures.add(
        "%s, stays of Mortise and of Redisson %s".formatted(backendName(), when),
        "%d and %d in %d ms"
            .formatted(
                ours.get() - before,
                theirs.get() - theirsBefore,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
  }

  private void stay(Worker worker) {
    try {
      worker.lock.run();
    } catch (RuntimeException e) { // of one library or the other, while there is no master
      failures.incrementAndGet();
      lastFailure = String.valueOf(e);
      LockSupport.parkNanos(20_000_000);
      return;
    }
    Thread other = inside.getAndSet(Thread.currentThread());
    if (other != null) {
      overlaps.add(other.getName() + " and " + Thread.currentThread().getName());
    }
    worker.stays.incrementAndGet();
    LockSupport.parkNanos(100_000);
    inside.compareAndSet(Thread.currentThread(), null);
    try {
      worker.unlock.run();
    } catch (RuntimeException e) {
      failures.incrementAndGet();
    }
  }
}
