package io.mortise.conformance.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedCountDownLatch;
import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.SlotMigration;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Locks on a Redis Cluster whose slots move, and whose masters come and go. */
public abstract class SlotMoveConformance extends ClusterTests {
  /** For the subclass that the author of a backend writes. */
  protected SlotMoveConformance() {}

  @OnEachServer
  @Test
  @Rule({"B22", "L1", "L10"})
  @DisplayName("B22, L1: while slots move under load, nobody is inside twice and no call fails")
  void slotsMoveUnderLoad(Figures figures) throws InterruptedException {
    moveUnderLoad(figures, "moved", 40, slot -> cluster.move(slot, cluster.otherThan(slot)));
  }

  @OnEachServer
  @Test
  @Rule({"B22", "L1", "L10"})
  @DisplayName("B22, L1: the same while a thousand slots at a time migrate atomically")
  void slotsMigrateUnderLoad(Figures figures) throws InterruptedException {
    assumeTrue(
        SlotMigration.isPossible(cluster.nodes().get(0)), "no CLUSTER MIGRATESLOTS on this server");
    moveUnderLoad(
        figures, "migrated", 12, slot -> SlotMigration.run(cluster, slot, cluster.otherThan(slot)));
  }

  /** Eight threads of two services lock four names, whose slots move in turn. */
  private void moveUnderLoad(Figures figures, String how, int times, IntConsumer move)
      throws InterruptedException {
    List<LockService> services = List.of(service(), service());
    List<String> names = IntStream.range(0, 4).mapToObj(i -> name + '-' + i).toList();
    Stays stays = new Stays();
    AtomicBoolean over = new AtomicBoolean();
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            8,
            number -> {
              while (!over.get()) {
                String wanted = names.get(ThreadLocalRandom.current().nextInt(names.size()));
                stay(services.get(number % 2).getLock(wanted), wanted, stays);
              }
            });
    for (int i = 0; i < times; i++) {
      move.accept(cluster.slot('{' + names.get(i % names.size()) + '}'));
    }
    over.set(true);
    crew.join(LONG);
    assertEquals(List.of(), stays.overlaps());
    assertTrue(stays.count() > times, "only " + stays.count() + " stays");
    figures.add("cluster, slots " + how + " under load", String.valueOf(times));
    figures.add("cluster, stays while slots " + how, String.valueOf(stays.count()));
    figures.add(
        "cluster, longest wait while slots " + how + " (ms)",
        String.valueOf(stays.longestWaitMillis()));
  }

  private static void stay(DistributedLock lock, String name, Stays stays)
      throws InterruptedException {
    long askedAt = System.nanoTime();
    assertTrue(lock.tryLock(LONG.toSeconds(), TimeUnit.SECONDS), "the lock was not acquired");
    long from = System.nanoTime();
    Thread.onSpinWait();
    stays.add(name, askedAt, from, System.nanoTime());
    lock.unlock();
  }

  @Test
  @Rule({"B22", "L8"})
  @DisplayName("L8: while a slot stays on its way, its holds are renewed, and then all goes on")
  void aSlotStopsHalfWay() throws InterruptedException {
    LockService service = service();
    LockService other = service();
    DistributedLock held = service.getLock(name);
    held.lock();
    int slot = cluster.slot('{' + name + '}');
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);
    assertThrows(
        LockException.class,
        () -> other.getLock(name).tryLock(LEASE.toSeconds() + 1, TimeUnit.SECONDS));
    assertEquals(LeaseState.HELD, held.leaseState(), "it was renewed for longer than a lease");
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
    held.unlock();
    assertTrue(other.getLock(name).tryLock(LONG.toSeconds(), TimeUnit.SECONDS));
    other.getLock(name).unlock();
  }

  @Test
  @Rule({"B22", "B24", "L22"})
  @DisplayName("L22: a renewal waits for replicas also where the new master of its slot has it")
  void aRenewalOnTheNewMasterWaitsForItsReplica() {
    LockService service =
        service(builder -> builder.leaseTime(LEASE).replicaAcks(1, Duration.ofMillis(900)));
    int slot = cluster.slot('{' + name + '}');
    DistributedLock lock = service.getLock(name);
    lock.lock();
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);
    cluster.moveKeys(slot, from, to);
    long before = waits(to);
    Await.until("a renewal asked the new master's replica", LONG, () -> waits(to) > before);
    cluster.endMove(slot, from, to);
    lock.ensureHeld();
    lock.unlock();
  }

  private static long waits(RedisServer node) {
    return node.commandCounts().getOrDefault("wait", 0L);
  }

  @OnEachServer
  @Test
  @Rule({"B1", "L10", "L14"})
  @DisplayName("L10: a release that a moving slot cuts short is repeated, and a waiter comes in")
  void aReleaseIsCutShort() throws InterruptedException {
    LockService service = service();
    LockService other = service();
    DistributedLock held = service.getLock(name);
    held.lock();
    AtomicBoolean inside = new AtomicBoolean();
    Crew waiter = entering(other, inside);
    int slot = cluster.slot('{' + name + '}');
    RedisServer owner = cluster.owner(slot);
    Await.until("the lock has a queue", () -> keys(owner).size() == 3);
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);
    held.unlock(); // the script removes the hold, and then finds the lock's key on another node
    assertEquals(2, keys(from).size(), "the script was cut short");
    assertFalse(inside.get());
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
    waiter.join(LONG);
    assertTrue(inside.get());
    assertTrue(service.getLock(name).tryLock(LONG.toSeconds(), TimeUnit.SECONDS));
    service.getLock(name).unlock();
  }

  @Test
  @Rule({"L14", "Q6"})
  @DisplayName(
      "Q6: a forced unlock that a moving slot cuts short leaves no holder without tombstone")
  void aForcedUnlockIsCutShort() {
    List<LockService> services = List.of(service(), service(), service());
    services.forEach(each -> each.getReadWriteLock(name).readLock().lock());
    int slot = cluster.slot('{' + name + '}');
    RedisServer owner = cluster.owner(slot);
    String readers = keys(owner).get(0);
    String alive = readers.replace("readers", "alive");
    List<?> ids = (List<?>) owner.command("ZRANGE", readers, "0", "-1");
    // The first has not confirmed its grant. It is alone in the queue, so the script empties that.
    owner.command("ZADD", readers.replace("readers", "queue"), "-1", String.valueOf(ids.get(0)));
    owner.command("ZADD", alive, "1", "!old");
    String lock = readers.replace("readers", "lock"); // a call for a missing key is not run
    owner.command("HSET", lock, "other", "1");
    owner.command("PEXPIRE", lock, "60000");
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);

    assertThrows(
        LockException.class, () -> services.get(0).getReadWriteLock(name).readLock().forceUnlock());

    for (Object id : ids) {
      assertNotNull(from.command("ZSCORE", alive, "!" + id), () -> "a tombstone of " + id);
    }
    Object left = from.command("PTTL", alive);
    assertTrue((Long) left >= 59_000, () -> "they last for " + left + " ms");
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
  }

  private List<String> keys(RedisServer node) {
    return node.keys().stream().filter(key -> key.contains(name)).toList();
  }

  @Test
  @Rule({"D1", "D3"})
  @DisplayName("D3: a step of a latch counts once, also if its slot begins to move")
  void aStepOfALatchWhileItsSlotMoves() throws InterruptedException {
    DistributedCountDownLatch latch = service().getCountDownLatch(name);
    latch.trySetCount(3);
    int slot = cluster.slot('{' + name + '}');
    RedisServer to = cluster.otherThan(slot);
    RedisServer owner = cluster.owner(slot);
    // A step is remembered in a key that has only old members. They go when the step comes.
    String steps =
        keys(owner).stream().filter(key -> key.contains("alive")).findFirst().orElseThrow();
    owner.command("DEL", steps);
    owner.command("ZADD", steps, "1", "!old");
    String queue = steps.replace("alive", "queue");
    owner.command("ZADD", queue, "1", "gone");
    RedisServer from = cluster.beginMove(slot, to);
    latch.countDown();
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
    assertEquals(2, latch.getCount());
  }

  @OnEachServer
  @Test
  @Rule({"B2", "B7", "B22"})
  @DisplayName("B7, B22: a node that asks for a slot gets a script it does not know; it runs once")
  void anUnknownScriptAfterAsk() {
    LockBackend backend = backend();
    int slot = cluster.slot(name);
    RedisServer to = cluster.otherThan(slot);
    RedisServer from = cluster.beginMove(slot, to);
    String source = "return {redis.call('INCR', KEYS[1])} -- " + UUID.randomUUID();
    ScriptCall call =
        new ScriptCall(Script.of("new", source), List.of(name), List.of(), Duration.ofSeconds(2));
    assertEquals(List.of(1L), backend.execute(call));
    assertEquals(List.of(2L), backend.executeAsync(call).join());
    assertEquals(List.of(3L), backend.executeAll(List.of(call)).get(0).join());
    cluster.moveKeys(slot, from, to);
    cluster.endMove(slot, from, to);
    assertEquals(List.of(4L), backend.execute(call));
  }

  @OnEachServer
  @Test
  @Rule({"B7", "B17", "B22"})
  @DisplayName("B22: a new master is used, and one that was taken out is left and disconnected")
  void aMasterComesAndGoes() {
    LockBackend backend = backend();
    int slot = cluster.slot(name);
    RedisServer first = cluster.owner(slot);
    ScriptCall call = counted(name, "x", Duration.ofSeconds(2));
    assertEquals(List.of(1L), backend.execute(call));
    RedisServer added = cluster.add();
    cluster.move(slot, added);
    assertEquals(List.of(2L), backend.execute(call));
    assertTrue(scripts(added) > 0);
    cluster.move(slot, first);
    assertEquals(List.of(3L), backend.execute(call));
    cluster.forget(added);
    Await.until(
        "nobody is connected to the node that left",
        LONG,
        () -> {
          int other = cluster.slot(name);
          RedisServer to = cluster.otherThan(other); // a move makes the backend read the slots
          cluster.move(other, to);
          backend.execute(call);
          return clients(added) == 0;
        });
    added.close();
  }

  private static long clients(RedisServer node) {
    return String.valueOf(node.command("CLIENT", "LIST", "TYPE", "normal"))
        .lines()
        .filter(line -> line.contains("name=mortise-kit"))
        .count();
  }
}
