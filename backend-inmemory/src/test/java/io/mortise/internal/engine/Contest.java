package io.mortise.internal.engine;

import io.mortise.LockException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/**
 * Threads of two services compete in one schedule. No thread holds for ever. So a thread that still
 * waits when nothing more can happen was forgotten.
 */
final class Contest {
  /** A deliberate defect, to see that the contest finds it. */
  enum Defect {
    NONE,
    NO_EXCLUSION,
    MESSAGES_LOST
  }

  /** Enough for a few tries after commands without an answer, and less than the re-check period. */
  private static final Duration AFTER_FAULTS = Duration.ofMillis(1_500);

  private final Schedule schedule;
  private final ExploredStore store;
  private final List<ExploredService> services;
  private final ExploredKind kind;
  private final boolean faulty;
  private final boolean forced;
  private final Duration patience;
  private final Defect defect;
  private int faults;

  /**
   * Creates a contest.
   *
   * @param patience how much time may pass when nothing else can happen and nothing fails
   */
  Contest(
      long seed,
      BiFunction<Visitor, Schedule, ExploredKind> kind,
      Duration patience,
      Defect defect) {
    Random random = new Random(seed * 0x9E3779B97F4A7C15L);
    this.defect = defect;
    schedule = new Schedule(random);
    store = new ExploredStore(schedule);
    faulty = random.nextInt(3) == 0;
    forced = defect == Defect.NONE && random.nextInt(4) == 0;
    this.patience = faulty && AFTER_FAULTS.compareTo(patience) > 0 ? AFTER_FAULTS : patience;
    services = List.of(service("A", random), service("B", random));
    this.kind = kind.apply(new Visitor(random, schedule, faulty), schedule);
  }

  private ExploredService service(String name, Random random) {
    boolean deaf = defect == Defect.MESSAGES_LOST;
    return new ExploredService(
        name, schedule, store, random.nextBoolean(), this::fails, () -> deaf);
  }

  private void force() {
    schedule.point();
    kind.room.force();
    try {
      kind.force(services.get(1).service());
    } catch (LockException e) {
      check(faulty, "no command failed, but: " + e);
    }
  }

  private boolean fails() {
    boolean now = faults > 0 && schedule.chance(6);
    faults -= now ? 1 : 0;
    return now;
  }

  /** Runs the contest, and throws if it finds a violation. */
  void run() {
    try {
      kind.prepare(services.get(0).service());
      faults = faulty ? 2 : 0;
      for (String name : List.of("A1", "A2", "B1", "B2")) {
        boolean first = name.startsWith("A");
        ExploredService service = services.get(first ? 0 : 1);
        schedule.add(
            name,
            () -> {
              for (int round = 0; round < 2; round++) {
                kind.visit(service.service(), first);
                boolean unused = Thread.interrupted();
              }
            });
      }
      if (forced) {
        schedule.add("operator", this::force);
      }
      if (defect == Defect.NO_EXCLUSION) {
        schedule.add("careless", () -> kind.stay(() -> {}, kind.room.places()));
      }
      schedule.run(patience);
      faults = 0;
      checkEnd();
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + "\nin the schedule " + schedule, e);
    }
  }

  private void checkEnd() {
    check(schedule.unfinished().isEmpty(), schedule.unfinished() + " wait for a free lock");
    check(store.inUse().isEmpty(), "left in the store: " + store.inUse());
    services.forEach(each -> kind.checkEnd(each.service()));
    services.forEach(each -> checkForgotten(each.service()));
    services.forEach(ExploredService::shutDown);
    check(store.forEver().isEmpty(), "for ever in the store: " + store.forEver());
  }

  private static void checkForgotten(Object service) {
    Engine engine = (Engine) field(service, "engine");
    check(
        engine.acquisitions().all().isEmpty(), "acquisitions left: " + engine.acquisitions().all());
    check(engine.gates().all().isEmpty(), "gates left: " + engine.gates().all());
    check(engine.gates().ofReaders().isEmpty(), "read gates left: " + engine.gates().ofReaders());
  }

  private static Object field(Object owner, String name) {
    try {
      Field field = owner.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field.get(owner);
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
