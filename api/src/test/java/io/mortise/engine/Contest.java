package io.mortise.engine;

import io.mortise.LeaseLostException;
import io.mortise.LockException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Threads of two services that want one lock, in one schedule: each locks in two chosen ways, and
 * many give up. Nobody stays inside, so whoever still waits when nothing can happen was forgotten.
 */
final class Contest {
  /** What is wrong on purpose, to see that it is found. */
  enum Defect {
    NONE,
    ONE_DOES_NOT_LOCK,
    MESSAGES_LOST
  }

  /** Enough for a few tries after commands without an answer; less than the re-check period. */
  private static final Duration AFTER_FAULTS = Duration.ofMillis(1_500);

  private final Random random;
  private final Schedule schedule;
  private final LockKeys keys = LockKeys.of("mortise:", "x");
  private final SharedStore store;
  private final List<ScheduledService> services;
  private final Defect defect;
  private int faults;
  private final boolean faulty;
  private final boolean forced;
  private int inside;

  Contest(long seed, Defect defect) {
    random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.defect = defect;
    schedule = new Schedule(random);
    store = new SharedStore(keys, schedule);
    faulty = random.nextInt(3) == 0;
    faults = faulty ? 2 : 0;
    forced = random.nextInt(4) == 0;
    services = List.of(service("A"), service("B"));
    if (defect == Defect.MESSAGES_LOST) {
      store.deliver("B", message -> {});
    }
  }

  private ScheduledService service(String name) {
    return new ScheduledService(name, schedule, store, random.nextBoolean(), this::fails);
  }

  private boolean fails() {
    boolean now = faults > 0 && schedule.chance(6);
    faults -= now ? 1 : 0;
    return now;
  }

  /** Runs it, and throws if it came to what must not be. */
  void run() {
    if (random.nextInt(4) == 0) {
      store.addGhost("A:99:1");
      store.addGhost("B:99:1");
    }
    for (String name : List.of("A1", "A2", "B1", "B2")) {
      ScheduledService service = services.get(name.charAt(0) - 'A');
      boolean fair = random.nextInt(3) == 0;
      schedule.add(name, () -> contend(service.engine, fair));
    }
    if (forced) {
      schedule.add("A3", () -> forceOpen(a()));
    }
    try {
      schedule.run(faulty ? AFTER_FAULTS : Duration.ZERO);
      check(schedule.unfinished().isEmpty(), schedule.unfinished() + " wait though nobody is in");
      check(store.isEmpty(), "left in the store: " + store);
      services.forEach(service -> checkForgotten(service.engine));
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\nin the schedule " + schedule, e);
    }
  }

  private void contend(Engine engine, boolean fair) throws Exception {
    LockKeys own = fair ? keys.as(LockKeys.Kind.FAIR) : keys;
    if (fair) {
      engine.useSeveralKinds();
    }
    LeasePolicy lease =
        random.nextInt(4) == 0 ? LeasePolicy.fixed(Duration.ofSeconds(20)) : engine.defaultLease();
    EngineLock lock = new EngineLock(engine, own, lease);
    for (int round = 0; round < 2; round++) {
      boolean careless = defect == Defect.ONE_DOES_NOT_LOCK && round == 0 && engine == a();
      if (careless) {
        visit(engine, true);
      } else if (locks(lock)) {
        visit(engine, false);
        unlock(lock);
      }
      boolean unused = Thread.interrupted();
    }
  }

  /** Only who was forced out may be told of a loss. */
  private void unlock(EngineLock lock) {
    Hold hold = lock.engine().holdOfCurrentThread(lock.keys());
    Hold own = hold == null ? lock.engine().lostHolds().find(lock.keys()) : hold;
    check(own != null, "it was inside by no hold");
    try {
      lock.unlock();
    } catch (LeaseLostException e) {
      check(own != null && store.wasForcedOut(own.acquisition().id()), "it lost " + e);
    }
  }

  private void forceOpen(Engine engine) {
    schedule.point();
    try {
      boolean unused = engine.force(keys);
    } catch (LockException e) {
      check(faulty, "no command failed, but: " + e);
      return;
    }
    Hold hold = engine.holdOf(keys);
    check(
        hold == null || !store.wasForcedOut(hold.acquisition().id()),
        "its own service does not know that it was forced out");
  }

  private Engine a() {
    return services.get(0).engine;
  }

  private boolean locks(EngineLock lock) {
    try {
      switch (random.nextInt(5)) {
        case 0 -> {
          return lock.tryLock();
        }
        case 1 -> lock.lockInterruptibly();
        case 2, 3 -> {
          return lock.tryLock(Duration.ofMillis(random.nextInt(40)));
        }
        default -> lock.lock();
      }
      return true;
    } catch (InterruptedException e) {
      return false;
    } catch (LockException e) {
      check(faulty, "no command failed, but: " + e);
      return false;
    }
  }

  private void visit(Engine engine, boolean careless) {
    check(++inside == 1 || forced, "two are inside");
    if (!careless) {
      Hold hold = engine.holdOf(keys);
      check(
          forced || (hold != null && hold.acquisition().id().equals(store.holder())),
          "inside by what the store does not know");
    }
    schedule.point();
    check(inside-- == 1 || forced, "two were inside");
  }

  private static void checkForgotten(Engine engine) {
    check(engine.acquisitions().isEmpty(), "acquisitions left: " + engine.acquisitions());
    try {
      Field gates = Engine.class.getDeclaredField("gates");
      gates.setAccessible(true);
      check(((Map<?, ?>) gates.get(engine)).isEmpty(), "gates left: " + gates.get(engine));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }
}
