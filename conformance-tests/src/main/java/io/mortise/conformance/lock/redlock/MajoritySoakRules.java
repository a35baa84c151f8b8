package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.FencedRedLock;
import io.mortise.KeyGuard;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.RedLock;
import io.mortise.StaleTokenException;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.redlock.IndependentServers.Fault;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Processes that use one Redlock while up to two of its five servers are killed, frozen or slow. No
 * two hold it with valid leases, and after the faults every thread acquires it. {@code
 * -Dmortise.soak=1800} sets the length in seconds. {@code -Dmortise.seed} repeats the order of
 * faults.
 */
@Rule("L16")
public abstract class MajoritySoakRules extends ServersFixture {
  private static final long SECONDS = Long.getLong("mortise.soak", 4);
  private static final long SEED = Long.getLong("mortise.seed", System.nanoTime());
  private static final List<Fault> FAULTS = List.of(Fault.values());
  private static final int PROCESSES = 3;
  private static final int THREADS = 2;
  private static final int FAULTS_AT_A_TIME = 2;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LONGEST_GAP = Duration.ofSeconds(15);

  private final List<RedLock> locks = new ArrayList<>();
  private final Queue<Stay> stays = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<Integer> whole = new LinkedBlockingQueue<>(List.of(0, 1, 2, 3, 4));
  private final LongAdder faults = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final AtomicLong longestWait = new AtomicLong();
  private final LongAdder late = new LongAdder();
  private final Queue<Thread> lateWriters = new ConcurrentLinkedQueue<>();
  private final Queue<String> wronglyRefused = new ConcurrentLinkedQueue<>();
  private @Nullable KeyGuard guard;
  private volatile long end;
  private boolean comesBackAtOnce;

  /**
   * A time in which one thread certainly held the lock (ns). It begins after the acquisition, and
   * ends when the thread last saw a valid lease. The token is 0 without fencing.
   */
  private record Stay(long from, long until, long token) {}

  protected MajoritySoakRules(RedisKit kit) {
    super(kit);
  }

  private boolean isRunning() {
    return System.nanoTime() - end < 0;
  }

  @Test
  @Rule({"L1", "L8", "L9", "L10"})
  void noTwoHoldTheLockWhileAnyTwoServersFail(Figures figures) throws Exception {
    IndependentServers servers = servers(NODES);
    for (int i = 0; i < PROCESSES; i++) {
      locks.add(red(process(servers, LEASE), name));
    }
    soak(servers, figures, "Redlock soak");
  }

  /** Servers that were killed come back at once, and without data. */
  @Test
  @Rule({"L1", "L8", "L9", "L10"})
  void noTwoHoldTheLockWhileServersComeBackEmpty(Figures figures) throws Exception {
    IndependentServers servers = servers(NODES);
    for (int i = 0; i < PROCESSES; i++) {
      locks.add(red(process(servers, LEASE), name).withQuarantine(LEASE));
    }
    locks.get(0).init();
    comesBackAtOnce = true;
    soak(servers, figures, "Redlock soak in quarantine");
  }

  /**
   * Servers come back at once and without data. Holders that were paused beyond their lease write
   * late.
   */
  @Test
  @Rule({"L1", "L13"})
  void tokensRiseWhileServersComeBackEmpty(Figures figures) throws Exception {
    IndependentServers servers = servers(NODES);
    for (int i = 0; i < PROCESSES; i++) {
      locks.add(red(process(servers, LEASE), name).withQuarantine(LEASE).fenced());
    }
    locks.get(0).init();
    comesBackAtOnce = true;
    guard = KeyGuard.of(backend());

    soak(servers, figures, "fenced Redlock soak");
    for (Thread each : lateWriters) {
      each.join();
    }

    figures.add("fenced Redlock soak, late writes refused", late.toString());
    assertEquals(List.of(), List.copyOf(wronglyRefused), () -> "-Dmortise.seed=" + SEED);
    List<Long> tokens = inOrder().stream().map(Stay::token).toList();
    assertEquals(tokens.stream().sorted().distinct().toList(), tokens, () -> "seed " + SEED);
  }

  private void soak(IndependentServers servers, Figures figures, String what) throws Exception {
    long start = System.nanoTime();
    end = start + TimeUnit.SECONDS.toNanos(SECONDS);
    Crew breaking =
        Crew.start(
            ThreadKind.PLATFORM,
            FAULTS_AT_A_TIME,
            number -> breakNodes(servers, new Random(SEED + number)));
    Crew users = Crew.start(ThreadKind.PLATFORM, PROCESSES * THREADS, this::use);
    breaking.join(Duration.ofSeconds(SECONDS + 60));
    users.join(Duration.ofSeconds(60));
    long gap = longestGap(start);

    Crew.run(PROCESSES * THREADS, this::takeOnce);

    tell(figures, what, gap);
    assertEquals(List.of(), overlaps(), () -> "-Dmortise.seed=" + SEED);
    assertTrue(
        stays.size() > PROCESSES * THREADS, () -> stays.size() + " holds, -Dmortise.seed=" + SEED);
    assertTrue(gap < LONGEST_GAP.toMillis(), () -> gap + " ms, -Dmortise.seed=" + SEED);
  }

  private void tell(Figures figures, String what, long gap) {
    figures.add(what + ", seed", Long.toString(SEED));
    figures.add(what + ", seconds", Long.toString(SECONDS));
    figures.add(what + ", faults", faults.toString());
    figures.add(what + ", acquired", Integer.toString(stays.size()));
    figures.add(what + ", not acquired in time", refused.toString());
    figures.add(what + ", failed by an outage", failed.toString());
    figures.add(what + ", leases lost", lost.toString());
    figures.add(what + ", longest time without a holder ms", Long.toString(gap));
    figures.add(what + ", longest wait after the faults ms", longestWait.toString());
  }

  /** Breaks one node at a time. Several of these run, and no two break the same node. */
  private void breakNodes(IndependentServers servers, Random random) throws InterruptedException {
    while (isRunning()) {
      for (int i = random.nextInt(whole.size() + 1); i > 0; i--) {
        whole.add(whole.take());
      }
      int node = whole.take();
      Fault fault = FAULTS.get(random.nextInt(FAULTS.size()));
      servers.spoil(node, fault);
      faults.increment();
      // Without quarantine such a server must be operated like this: after a loss of data it stays
      // away until every
      // lease that it may have given has ended. Otherwise it would give the lock again too early.
      Thread.sleep(
          fault == Fault.KILLED && !comesBackAtOnce
              ? LEASE.plusMillis(100).toMillis()
              : 100 + random.nextInt(1500));
      servers.mend(node, fault);
      whole.add(node);
      Thread.sleep(random.nextInt(300));
    }
  }

  private void use(int thread) throws InterruptedException {
    RedLock lock = locks.get(thread % PROCESSES);
    while (isRunning()) {
      try {
        if (take(lock)) {
          stayInside(lock, random(10) == 0 ? random(3000) : random(5));
        } else {
          refused.increment();
        }
      } catch (LeaseLostException e) {
        lost.increment();
      } catch (LockException e) {
        failed.increment();
        Thread.sleep(random(50));
      }
    }
  }

  private static int random(int below) {
    return ThreadLocalRandom.current().nextInt(below);
  }

  private static boolean take(RedLock lock) throws InterruptedException {
    int way = random(4);
    if (way == 0) {
      lock.lock();
      return true;
    }
    return way == 1
        ? lock.withLease(LEASE).withMemberTimeout(MEMBER_TIMEOUT).tryLock(SECOND)
        : lock.tryLock(random(1500), TimeUnit.MILLISECONDS);
  }

  private void stayInside(RedLock lock, int millis) throws InterruptedException {
    try {
      long token = write(lock);
      long from = System.nanoTime();
      long until = from;
      long leave = from + TimeUnit.MILLISECONDS.toNanos(millis);
      for (long now = from; lock.isHeldByCurrentThread(); now = System.nanoTime()) {
        until = now;
        if (now - leave > 0) {
          break;
        }
        Thread.sleep(1);
      }
      stays.add(new Stay(from, until, token));
      if (guard != null && random(10) == 0) {
        writeLate(token);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Writes with the token of a hold. A valid hold is not refused. Returns the token. */
  private long write(RedLock lock) {
    KeyGuard guarded = guard;
    if (guarded == null || !(lock instanceof FencedRedLock fenced)) {
      return 0;
    }
    long token = fenced.fencingToken();
    try {
      guarded.set(name, "in time", token);
    } catch (StaleTokenException e) {
      if (lock.isHeldByCurrentThread()) {
        wronglyRefused.add(e.toString());
      }
    }
    return token;
  }

  /**
   * Does nothing for longer than a lease, in which the lock is renewed no more, and then writes.
   */
  private void writeLate(long token) {
    Thread writer =
        new Thread(() -> {
          try {
            Thread.sleep(LEASE.plusMillis(500).toMillis());
            Objects.requireNonNull(guard).set(name, "late", token);
          } catch (StaleTokenException | InterruptedException e) {
            late.increment();
          }
        });
    lateWriters.add(writer);
    writer.start();
  }

  private void takeOnce(int thread) throws InterruptedException {
    RedLock lock = locks.get(thread % PROCESSES);
    long start = System.nanoTime();
    assertTrue(lock.tryLock(Duration.ofSeconds(30)), lock::toString);
    longestWait.accumulateAndGet(millisSince(start), Math::max);
    stayInside(lock, 0);
  }

  private List<Stay> inOrder() {
    return stays.stream().sorted(Comparator.comparingLong(Stay::from)).toList();
  }

  /** Pairs of holds of which the second began before the first had ended. */
  private List<List<Stay>> overlaps() {
    List<List<Stay>> found = new ArrayList<>();
    List<Stay> all = inOrder();
    Stay last = all.get(0);
    for (Stay each : all.subList(1, all.size())) {
      if (each.from() - last.until() < 0) {
        found.add(List.of(last, each));
      }
      last = each.until() - last.until() > 0 ? each : last;
    }
    return found;
  }

  /** The longest time without a holder (ms). */
  private long longestGap(long start) {
    long longest = 0;
    long last = start;
    for (Stay each : inOrder()) {
      longest = Math.max(longest, each.from() - last);
      last = Math.max(last, each.until());
    }
    return TimeUnit.NANOSECONDS.toMillis(Math.max(longest, end - last));
  }
}
