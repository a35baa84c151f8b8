package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.RedisKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Room;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Services behind links that break in every way at random, and threads that use a few locks in
 * every way. No two threads hold a lock with valid leases. When the links work again, every thread
 * gets every lock. {@code -Dmortise.soak=1800} sets the length in seconds.
 */
public abstract class SoakRules extends LockRules {
  private static final long SECONDS = Long.getLong("mortise.soak", 4);
  private static final int SERVICES = 3;
  private static final int THREADS = 3;
  private static final int NAMES = 3;
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final RedisKit kit;
  private final List<TcpProxy> links = new ArrayList<>();
  private final List<LockService> services = new ArrayList<>();
  private final List<Room> rooms = IntStream.range(0, NAMES).mapToObj(i -> new Room()).toList();
  private final LongAdder taken = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder faults = new LongAdder();
  private final LongAdder breaches = new LongAdder();
  private volatile long end;

  protected SoakRules(RedisKit kit) {
    super(kit);
    this.kit = kit;
  }

  private static int random(int below) {
    return ThreadLocalRandom.current().nextInt(below);
  }

  private boolean isRunning() {
    return System.nanoTime() - end < 0;
  }

  private void openServices(Duration retain) {
    for (int i = 0; i < SERVICES; i++) {
      TcpProxy link = TcpProxy.to(kit.server());
      closeLast(link);
      links.add(link);
      services.add(
          service(
              closing(kit.open(link.uri())), builder -> builder.leaseTime(LEASE).retain(retain)));
    }
  }

  private DistributedLock lock(int service, int number) {
    LockService of = services.get(service);
    String its = name + '-' + number;
    return number == 0 ? of.getFairLock(its) : of.getLock(its);
  }

  @ParameterizedTest(name = "services retain their locks for {0} ms")
  @ValueSource(longs = {0, 500})
  @Rule({"L1", "L9", "L10", "L12", "L14"})
  void noFaultOfALinkGivesTwoHoldersOrKeepsAnybodyOut(long retain, Figures figures)
      throws Exception {
    openServices(Duration.ofMillis(retain));
    end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    Crew breaking = Crew.start(ThreadKind.PLATFORM, 1, none -> breakLinks());
    Crew users =
        Crew.start(ThreadKind.PLATFORM, SERVICES * THREADS, number -> use(number % SERVICES));
    breaking.join(Duration.ofSeconds(SECONDS + 60));
    users.join(Duration.ofSeconds(60));

    Crew.run(SERVICES * THREADS, this::takeEach);

    figures.add("soak, retain " + retain + " ms, seconds", Long.toString(SECONDS));
    figures.add("soak, retain " + retain + " ms, faults", faults.toString());
    figures.add("soak, retain " + retain + " ms, acquired", taken.toString());
    figures.add("soak, retain " + retain + " ms, not acquired in time", refused.toString());
    figures.add("soak, retain " + retain + " ms, failed by an outage", failed.toString());
    figures.add("soak, retain " + retain + " ms, leases lost", lost.toString());
    assertEquals(0, breaches.sum());
    assertTrue(taken.sum() > SECONDS, taken::toString);
  }

  private void breakLinks() throws InterruptedException {
    while (isRunning()) {
      TcpProxy link = links.get(random(SERVICES));
      switch (random(5)) {
        case 0 -> link.cut();
        case 1 -> link.stall();
        case 2 -> link.stall(TcpProxy.Direction.REPLIES);
        case 3 -> link.dropReplies();
        default -> link.refuse();
      }
      faults.increment();
      // Often shorter than a command's timeout, sometimes longer than the lease.
      Thread.sleep(random(10) == 0 ? 2500 : 50 + random(700));
      link.cut();
      link.resume();
      Thread.sleep(random(1000));
    }
    links.forEach(TcpProxy::resume);
  }

  private void use(int service) {
    while (isRunning()) {
      int number = random(NAMES);
      DistributedLock lock = lock(service, number);
      try {
        if (take(lock)) {
          stayAlone(lock, number);
        } else {
          refused.increment();
        }
      } catch (LeaseLostException e) {
        lost.increment();
      } catch (LockException e) {
        failed.increment();
      } catch (InterruptedException e) {
        refused.increment();
      }
    }
  }

  private static boolean take(DistributedLock lock) throws InterruptedException {
    int way = random(5);
    if (way == 0) {
      lock.lock();
    } else if (way == 1) {
      lock.lockInterruptibly();
    }
    Duration fixed = Duration.ofMillis(500 + random(1000));
    return switch (way) {
      case 2 -> lock.tryLock();
      case 3 -> lock.tryLock(random(800), TimeUnit.MILLISECONDS);
      case 4 -> lock.withLease(fixed).tryLock(Duration.ofSeconds(1));
      default -> true;
    };
  }

  private void stayAlone(DistributedLock lock, int number) {
    taken.increment();
    int millis = random(20) == 0 ? 700 : random(5);
    try {
      if (!rooms.get(number).visit(lock, () -> sleep(millis))) {
        breaches.increment();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void sleep(int millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The links work again, though some connections may not know it yet. */
  private void takeEach(int thread) throws InterruptedException {
    for (int number = 0; number < NAMES; number++) {
      DistributedLock lock = lock(thread % SERVICES, number);
      assertTrue(lock.tryLock(Duration.ofSeconds(30)), lock::toString);
      lock.unlock();
    }
  }
}
