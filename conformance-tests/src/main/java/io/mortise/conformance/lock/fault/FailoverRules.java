package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.SwitchBell;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks while sentinels replace the master. Each test has a set of its own. */
public abstract class FailoverRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(9);
  private static final int HOLDS = 100;

  private final SentinelKit kit;
  private RedisSentinels set;
  private SwitchBell bell;

  protected FailoverRules(SentinelKit kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void startSet() {
    set = RedisSentinels.start(SECOND);
    closeLast(set);
    bell = new SwitchBell(set);
    closeLast(bell);
  }

  private LockService onSet() {
    return service(openBackend(), builder -> builder.leaseTime(LEASE));
  }

  private LockBackend openBackend() {
    return closing(
        kit.provider()
            .open(new BackendConfig(set.uri(), Duration.ofSeconds(2), "mortise-kit", Map.of())));
  }

  @OnEachServer
  @Test
  @Rule({"B23", "L9"})
  void aWaiterLocksSoonAfterASentinelNamedTheNextMaster(Figures figures)
      throws InterruptedException {
    DistributedLock lock = onSet().getLock(name);
    set.master().kill();
    assertTrue(lock.tryLock(20, TimeUnit.SECONDS));
    long after = Duration.ofNanos(System.nanoTime() - Await.value(bell.first())).toMillis();
    figures.add("first acquisition after a sentinel named the next master, ms", after + "");
    assertTrue(after < 5_000, () -> "it took " + after + " ms");
  }

  @Test
  @Rule({"B23", "L9"})
  void holdsThatTheNextMasterHasStayHeld() {
    ConcurrentLinkedQueue<LeaseState> told = new ConcurrentLinkedQueue<>();
    LockService mine =
        service(openBackend(), builder -> builder.leaseTime(LEASE).listener(noting(told)));
    List<DistributedLock> locks =
        IntStream.range(0, HOLDS).mapToObj(i -> mine.getLock(name + '-' + i)).toList();
    locks.forEach(DistributedLock::lock);
    RedisServer old = set.master();
    Await.until(
        "the replicas have them",
        () -> set.servers().stream().allMatch(server -> server.keys().size() >= HOLDS));
    DistributedLock theirs = onSet().getLock(name + "-0");
    Contender waiter = contender(() -> theirs.tryLock(60, TimeUnit.SECONDS));
    old.kill();
    set.masterAfter(old);
    Await.until("all were renewed", () -> locks.stream().allMatch(FailoverRules::isRenewed));
    passTime(LEASE);
    locks.forEach(lock -> assertTrue(lock.isHeldByCurrentThread(), "held: " + lock));
    assertFalse(told.contains(LeaseState.LOST), told::toString);
    locks.forEach(DistributedLock::unlock);
    assertTrue(waiter.result());
  }

  /** What replicaAcks does not add: sentinels look at the priority first, then at the data. */
  @Test
  @Rule({"B23", "L9", "L22"})
  void aConfirmedLockIsLostWithTheReplicaThatIsNotPromoted() {
    RedisServer old = set.master();
    RedisServer favourite = set.servers().get(1);
    favourite.command("CONFIG", "SET", "replica-priority", "1");
    Await.until(
        "the sentinels know it", () -> set.sentinels().stream().allMatch(this::knowsFavourite));
    favourite.pause();
    old.command("CLIENT", "KILL", "TYPE", "replica");
    Await.until("one replica is back", () -> replicas(old).contains("connected_slaves:1"));

    ConcurrentLinkedQueue<LeaseState> told = new ConcurrentLinkedQueue<>();
    service(
            openBackend(),
            builder ->
                builder
                    .leaseTime(Duration.ofSeconds(30))
                    .replicaAcks(1, Duration.ofMillis(900))
                    .listener(noting(told)))
        .getLock(name)
        .lock();
    old.kill();
    favourite.resume();
    assertSame(favourite, set.masterAfter(old));
    AtomicReference<LockService> theirs = new AtomicReference<>();
    Await.until("a service opens", () -> opens(theirs));
    assertTrue(contender(() -> theirs.get().getLock(name).tryLock(15, TimeUnit.SECONDS)).result());
    Await.until("the first holder knows", () -> told.contains(LeaseState.LOST));
  }

  /** Until a failover is over, some sentinels name the old master. */
  private boolean opens(AtomicReference<LockService> opened) {
    try {
      opened.set(onSet());
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  private boolean knowsFavourite(RedisServer sentinel) {
    return String.valueOf(sentinel.command("SENTINEL", "REPLICAS", set.name()))
        .contains("slave-priority, 1,");
  }

  private static String replicas(RedisServer master) {
    return String.valueOf(master.command("INFO", "replication"));
  }

  private static boolean isRenewed(DistributedLock lock) {
    try {
      return lock.remaining().compareTo(LEASE.dividedBy(2)) > 0;
    } catch (LockException e) {
      return false; // the store does not answer yet
    }
  }
}
