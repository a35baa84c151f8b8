package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import io.mortise.LockService;
import io.mortise.NotReplicatedException;
import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.RawAcquire;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespException;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.Remains;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks on a Redis Cluster whose masters are killed or frozen, and that is down as a whole. */
public abstract class ClusterFaultConformance extends ClusterTests {
  /** For the subclass that the author of a backend writes. */
  protected ClusterFaultConformance() {}

  @OnEachServer
  @Test
  @Rule({"B23", "L1", "L8", "L10"})
  @DisplayName("B23: when a master is killed, the rest goes on, and its locks soon after it")
  void aMasterIsKilled(Figures figures) throws Exception {
    LockService holder = service(LEASE_OVER_FAILOVER);
    LockService waiting = service(LEASE_OVER_FAILOVER);
    List<DistributedLock> held =
        IntStream.range(0, 100).mapToObj(i -> holder.getLock(name + '-' + i)).toList();
    held.forEach(DistributedLock::lock);
    AtomicInteger inside = new AtomicInteger();
    Crew waiters = comingIn(waiting, inside);
    DistributedLock free = waiting.getLock(name + "-free");
    int slot = cluster.slot('{' + name + "-free}");
    RedisServer killed = cluster.owner(slot);
    killed.awaitReplicas();
    killed.kill();
    long killedAt = System.nanoTime();

    Crew first = locking(free);
    Await.until("another node has the slot", LONG, () -> cluster.ownerOrNull(slot) != null);
    long promotedAt = System.nanoTime();
    long promotion = (promotedAt - killedAt) / 1_000_000;
    figures.add("cluster, promotion after a kill (ms)", String.valueOf(promotion));
    first.join(LONG);
    long after = (System.nanoTime() - promotedAt) / 1_000_000;
    figures.add("cluster, first acquisition after a promotion (ms)", String.valueOf(after));
    assertTrue(after < 4_000, "acquired " + after + " ms after the promotion");
    assertEquals(
        0,
        inside.get(),
        () -> "waiters came in after " + promotion + " ms, with " + cluster.owner(slot).keys());
    held.forEach(DistributedLock::ensureHeld);
    held.forEach(DistributedLock::unlock);
    waiters.join(LONG);
  }

  /** Threads that wait for the first 20 locks of the test. */
  private Crew comingIn(LockService waiting, AtomicInteger inside) {
    return Crew.start(
        ThreadKind.PLATFORM,
        20,
        number -> {
          DistributedLock lock = waiting.getLock(name + '-' + number);
          assertTrue(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS));
          inside.incrementAndGet();
          lock.unlock();
        });
  }

  private static Crew locking(DistributedLock lock) {
    return Crew.start(
        ThreadKind.PLATFORM,
        1,
        number -> assertTrue(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS)));
  }

  @Test
  @Rule({"B17", "B23"})
  @DisplayName("B17: closing while masters are frozen ends all calls and all threads")
  void closingWhileMastersAreFrozen() {
    Remains remains = new Remains();
    LockBackend closing = backend();
    closing.subscribe(name, new Hearing());
    List<RedisServer> frozen =
        IntStream.of(1, 2, 3).mapToObj(i -> cluster.owner(i * 4_000)).distinct().toList();
    frozen.forEach(RedisServer::pause);
    try {
      List<CompletableFuture<List<Object>>> calls =
          IntStream.range(0, 50)
              .mapToObj(i -> closing.executeAsync(counted("{" + name + i + "}", "f", LONG)))
              .toList();
      closing.close();
      calls.forEach(call -> assertTrue(call.isDone(), "a call goes on"));
      remains.assertNoThread();
    } finally {
      frozen.forEach(RedisServer::resume);
    }
  }

  private static final class Hearing implements ChannelListener {
    @Override
    public void onSubscribed() {}

    @Override
    public void onMessage(String message) {}

    @Override
    public void onInterrupted(Throwable cause) {}
  }

  @Test
  @Rule({"B23", "L10"})
  @DisplayName(
      "L10: a waiter locks soon after a frozen master was replaced, and not a timeout later")
  void aWaiterOfAFrozenMaster(Figures figures) throws Exception {
    DistributedLock lock = service().getLock(name);
    assertTrue(lock.tryLock());
    lock.unlock();
    int slot = cluster.slot('{' + name + '}');
    RedisServer frozen = cluster.owner(slot);
    frozen.pause();
    try {
      Crew waiter = locking(lock);
      Await.until(
          "another node has the slot", LONG, () -> cluster.ownerBeside(frozen, slot) != null);
      long promotedAt = System.nanoTime();
      waiter.join(LONG);
      long after = (System.nanoTime() - promotedAt) / 1_000_000;
      figures.add("cluster, first acquisition after a frozen master (ms)", String.valueOf(after));
      assertTrue(after < 4_000, "acquired " + after + " ms after the promotion");
    } finally {
      frozen.resume();
    }
  }

  @Test
  @Rule({"B1", "B2", "B3"})
  @DisplayName(
      "B2: calls to a master that is frozen for a moment are UNKNOWN, and run at most once")
  void aMasterIsFrozenForAMoment() throws InterruptedException {
    LockBackend backend = backend();
    int slot = cluster.slot(name);
    RedisServer owner = cluster.owner(slot);
    backend.execute(counted(name, "before", Duration.ofSeconds(2)));
    Duration brief = Duration.ofMillis(250);
    AtomicInteger unknown = new AtomicInteger();
    owner.pause();
    try {
      Crew.run(
          6,
          number -> {
            for (int i = 0; i < 3; i++) {
              String field = number + "-" + i;
              BackendException failure =
                  assertThrows(
                      BackendException.class, () -> backend.execute(counted(name, field, brief)));
              unknown.addAndGet(failure.outcome() == Outcome.UNKNOWN ? 1 : 0);
            }
          });
    } finally {
      owner.resume();
    }
    assertTrue(unknown.get() > 0, "no call was written");
    Await.until("calls run", () -> runs(backend, counted(name, "after", Duration.ofSeconds(2))));
    Thread.sleep(500); // a call that runs late would run now
    assertRanOnce(cluster.owner(slot), unknown.get() + 1);
  }

  /** Each call ran at most once, and no more calls than were written. */
  private void assertRanOnce(RedisServer on, int written) {
    Object counts = on.command("HGETALL", name);
    List<?> pairs = counts instanceof List<?> list ? list : List.of();
    int fields = 0;
    for (int i = 0; i < pairs.size(); i += 2) {
      if (!pairs.get(i).equals("after")) {
        assertEquals("1", pairs.get(i + 1), "runs of call " + pairs.get(i));
        fields++;
      }
    }
    assertTrue(fields <= written, fields + " calls ran, and " + written + " were written");
  }

  @Test
  @Rule({"B2", "B23"})
  @DisplayName("B23: a master that was frozen over a failover gets no new calls when it wakes up")
  void aMasterIsFrozenOverAFailover(Figures figures) {
    LockBackend backend = backend();
    int slot = cluster.slot(name);
    RedisServer old = cluster.owner(slot);
    Duration brief = Duration.ofMillis(400);
    backend.execute(counted(name, "before", brief));
    long before = scripts(old);
    old.pause();
    int failed = 0;
    try {
      long end = System.nanoTime() + LONG.toNanos();
      while (!runs(backend, counted(name, "f" + failed, brief)) && System.nanoTime() < end) {
        failed++;
      }
      assertTrue(failed > 0, "the pause was noticed by nobody");
    } finally {
      old.resume();
    }
    for (int i = 0; i < 200; i++) {
      backend.execute(counted(name, "after-" + i, Duration.ofSeconds(2)));
    }
    long late = scripts(old) - before;
    figures.add("cluster, scripts run by a woken master", String.valueOf(late));
    assertTrue(late <= failed, late + " scripts ran on the old master, " + failed + " were sent");
    assertFalse(cluster.owner(slot) == old);
  }

  @OnEachServer
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Rule({"B23", "L13"})
  @DisplayName("L13: a master that lives on apart gives smaller tokens than the one after it")
  void aMasterLivesOnApart(boolean counterIsLost) {
    try (RedisCluster apart = RedisCluster.start(Duration.ofSeconds(15))) {
      FaultyBackend link = new FaultyBackend(() -> backend(apart.uri()));
      FencedLock first = service(link).getFencedLock(name);
      long before = first.lockAndGetToken();
      first.unlock();
      RedisServer old = apart.owner(apart.slot('{' + name + '}'));
      old.awaitReplicas();
      RedisServer next = apart.splitOff(old);
      if (counterIsLost) {
        next.command("DEL", "mortise:fence:{" + name + '}');
      }
      URI uri = URI.create("redis-cluster://" + next.host() + ':' + next.port());
      FencedLock lock = service(backend(uri)).getFencedLock(name);
      long token = lock.lockAndGetToken();

      long late = RawAcquire.of(link.last("acquire")).token(old, "cluster");
      assertTrue(before < late, "the old master lives on: " + before + ", then " + late);
      assertTrue(late < token, "the old master gave " + late + ", the next one " + token);
      lock.unlock();
    }
  }

  @Test
  @Rule({"B24", "L22"})
  @DisplayName("L22: in a cluster, a hold waits for the replica of its own master")
  void aHoldWaitsForItsReplica() {
    LockService service = acknowledged(Duration.ofSeconds(4)); // a busy machine's replica confirms
    LockService hasty = acknowledged(Duration.ofMillis(400));
    RedisServer owner = cluster.owner(cluster.slot('{' + name + '}'));
    RedisServer replica = replicaOf(owner);
    owner.awaitReplicas(); // a test before this one may have paused it
    DistributedLock lock = service.getLock(name);
    assertTrue(lock.tryLock());
    assertFalse(replica.keys().isEmpty(), "the replica has the lock");
    lock.unlock();
    replica.pause();
    try {
      assertThrows(NotReplicatedException.class, hasty.getLock(name)::tryLock);
    } finally {
      replica.resume();
    }
    Await.until("the replica confirms", LONG, () -> isConfirmed(lock));
    lock.unlock();
  }

  private LockService acknowledged(Duration wait) {
    return service(builder -> builder.commandTimeout(Duration.ofSeconds(10)).replicaAcks(1, wait));
  }

  private static boolean isConfirmed(DistributedLock lock) {
    try {
      return lock.tryLock();
    } catch (NotReplicatedException e) {
      return false;
    }
  }

  private RedisServer replicaOf(RedisServer master) {
    return cluster.nodes().stream()
        .filter(node ->
            String.valueOf(node.command("INFO", "replication"))
                .contains("master_port:" + master.port()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Rule({"B1", "L11"})
  @DisplayName("B1: while the whole cluster is down, lock() fails at once and timed waits go on")
  void theClusterIsDown() throws Exception {
    LockService service = service();
    LockService other = service();
    DistributedLock mine = service.getLock(name);
    mine.lock();
    AtomicBoolean inside = new AtomicBoolean();
    Crew waiter = entering(other, inside);
    Await.until("its place is in the queue", () -> mine.getQueueLength() == 1);
    int unrelated = (cluster.slot('{' + name + '}') + 1) % 16_384;
    RedisServer owner = cluster.owner(unrelated);
    String slot = String.valueOf(unrelated);
    Await.until(
        "the cluster is down",
        () -> {
          unassign(slot);
          return !isUp();
        });

    long start = System.nanoTime();
    assertThrows(BackendUnavailableException.class, () -> service.getLock(name + "-2").lock());
    assertTrue(System.nanoTime() - start < 2_000_000_000L, "it did not fail at once");
    Thread.sleep(1_000);
    assertFalse(inside.get());
    owner.command("CLUSTER", "ADDSLOTS", slot);
    cluster.awaitHealthy();
    mine.ensureHeld();
    mine.unlock();
    waiter.join(LONG);
    assertTrue(inside.get());
  }

  @Test
  @Rule({"B1", "B25"})
  @DisplayName("B25: no call fails because a node closed a connection while it rested")
  void connectionsThatNodesClose() throws InterruptedException {
    LockBackend backend = backend();
    for (int round = 0; round < 3; round++) {
      int number = round;
      Crew.run(
          24,
          caller -> {
            String key = name + '-' + caller;
            backend.execute(counted(key, "round" + number, Duration.ofSeconds(5)));
          });
      if (round < 2) {
        rest();
        Thread.sleep(1_000); // a client may connect again by itself
      }
    }
  }

  /** Waits until all masters have closed the connections of clients. */
  private void rest() {
    for (RedisServer node : cluster.nodes()) {
      String before = clients(node);
      node.command("CONFIG", "SET", "timeout", "1");
      Await.until(
          "the node has closed them",
          LONG,
          () -> clients(node).lines().noneMatch(id -> before.lines().anyMatch(id::equals)));
      node.command("CONFIG", "SET", "timeout", "0");
    }
  }

  /** The ids of the connections that a time limit ends. */
  private static String clients(RedisServer node) {
    return String.valueOf(node.command("CLIENT", "LIST", "TYPE", "normal"))
        .lines()
        .filter(line -> !line.contains("cmd=client"))
        .map(line -> line.split(" ", 2)[0])
        .collect(Collectors.joining("\n"));
  }

  /** A node may learn of the slot again, by a message that its owner sent before. */
  private void unassign(String slot) {
    for (RedisServer node : cluster.nodes()) {
      try {
        node.command("CLUSTER", "DELSLOTS", slot);
      } catch (RespException e) {
        // The node has no owner of this slot already.
      }
    }
  }

  private boolean isUp() {
    return cluster.nodes().stream()
        .limit(3)
        .anyMatch(
            node -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
  }
}
