package io.mortise.backend.inmemory;

import io.mortise.DistributedLock;
import io.mortise.conformance.support.Await;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Some processes on one store with moved time. First faults come at random, then none do. Every
 * thread must finish within a bound, and in the end the store must be empty.
 */
final class Simulation {
  static final int LOCKS = 2;
  private static final int PROCESSES = 3;
  private static final int THREADS = 3;
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration WITH_FAULTS = Duration.ofSeconds(15);

  /**
   * From the last fault until the last thread has finished: a late command and a lease, one or two
   * grants to a dead mailbox, and the rest of the longest holds.
   */
  private static final Duration BOUND = Duration.ofSeconds(45);

  /** After that the store is empty. Tombstones last for a minute. */
  private static final Duration FORGOTTEN = Duration.ofSeconds(150);

  /** After that an unused semaphore and an unused fencing token are gone too. */
  private static final Duration UNUSED = Duration.ofDays(8);

  /** A thread's hold, for as long as the thread believes in it. */
  record Stay(SimulatedThread thread, DistributedLock lock, @Nullable String id) {
    /** Whether the hold is valid by its own deadline. */
    boolean isValid() {
      return lock.isHeldByThread(thread.getId());
    }
  }

  /**
   * A thread's share of the places, for as long as the thread believes in it.
   *
   * @param since before its first command
   */
  record Visit(
      SimulatedThread thread,
      String name,
      long since,
      int share,
      int places,
      BooleanSupplier valid) {}

  private final long seed;
  private final Random random;
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<SimulatedProcess> processes = new ArrayList<>();
  private final List<SimulatedThread> threads = new CopyOnWriteArrayList<>();
  private final Queue<Stay> inside = new ConcurrentLinkedQueue<>();
  private final Queue<Visit> visits = new ConcurrentLinkedQueue<>();
  private final AtomicLong lastToken = new AtomicLong();
  private final Queue<AssertionError> failures = new ConcurrentLinkedQueue<>();
  private final List<String> faults = new CopyOnWriteArrayList<>();
  private final Queue<Future<?>> asked = new ConcurrentLinkedQueue<>();
  private final SimulatedThread nobody;
  private final SimulatedOperator operator = new SimulatedOperator(store);
  private volatile boolean goesOn = true;

  Simulation(long seed) {
    this.seed = seed;
    random = new Random(seed);
    operator.setPermits();
    SimulatedProcess none = new SimulatedProcess(store, LEASE, 0);
    none.shutDown();
    nobody = new SimulatedThread(this, none, "nobody", 0);
    for (int i = 0; i < PROCESSES; i++) {
      SimulatedProcess process = new SimulatedProcess(store, LEASE, random.nextLong());
      processes.add(process);
      for (int j = 0; j < THREADS; j++) {
        threads.add(
            new SimulatedThread(this, process, "process-" + i + "-thread-" + j, random.nextLong()));
      }
    }
  }

  static String name(int which) {
    return "simulated-" + which;
  }

  /** Runs the simulation. Returns how often a thread held a lock. */
  int run() {
    threads.forEach(Thread::start);
    breakThings();
    comeToRest();
    checkNothingIsLeft();
    processes.forEach(SimulatedProcess::shutDown);
    store.advance(FORGOTTEN);
    checkTold();
    int free = operator.freePermits();
    check(free == SimulatedKinds.PERMITS, free + " permits are free");
    operator.close();
    store.advance(UNUSED);
    check(store.keys().equals(Set.of()), "keys are left: " + store.keys());
    check(store.channels().equals(Set.of()), "channels are left: " + store.channels());
    return threads.stream().mapToInt(SimulatedThread::entered).sum();
  }

  // Faults

  private void breakThings() {
    Duration passed = Duration.ZERO;
    while (passed.compareTo(WITH_FAULTS) < 0) {
      Duration step = Duration.ofMillis(1 + random.nextInt(60));
      passed = passed.plus(step);
      fault(passed);
      awaitRest();
      store.advance(step);
      throwFailure();
    }
  }

  private void fault(Duration at) {
    int kind = random.nextInt(100);
    SimulatedProcess process = processes.get(random.nextInt(PROCESSES));
    String name = name(random.nextInt(LOCKS));
    switch (kind) {
      case 0, 1, 2, 3, 4, 5 -> {
        faults.add(at + " interrupt");
        threads.get(random.nextInt(threads.size())).disturb();
      }
      case 6, 7, 8, 9, 10 -> {
        faults.add(at + " link fails: " + process);
        process.link().fails(true);
      }
      case 11, 12, 13, 14, 15 -> process.link().fails(false);
      case 16, 17 -> {
        faults.add(at + " pause: " + process);
        process.pause();
      }
      case 18, 19, 20 -> {
        if (process.isPaused()) {
          process.goOn();
        }
      }
      case 21 -> faults.add(at + " force " + name + ' ' + operator.forceOpen(name));
      case 22 -> faults.add(at + " delete " + name + ' ' + operator.deleteLock(name));
      case 23 -> {
        String companion = random.nextBoolean() ? "queue" : "alive";
        faults.add(
            at + " delete " + companion + ' ' + name + operator.deleteCompanion(companion, name));
      }
      case 24 -> {
        if (!process.isPaused()) {
          faults.add(at + " close: " + process);
          process.reopen();
        }
      }
      case 26 -> {
        Duration by = Duration.ofMillis(random.nextInt(6_000) - 1_000);
        faults.add(at + " the wall clock steps by " + by);
        store.stepWallClock(by);
      }
      case 25 -> faults.add(at + " force " + operator.forceAnotherKind(random.nextInt(5)));
      default -> {}
    }
  }

  /** The services are still open, so what one of them has forgotten would be renewed. */
  private void checkNothingIsLeft() {
    for (int i = 0; i < 100; i++) {
      awaitRest();
      store.advance(Duration.ofMillis(200));
    }
    for (SimulatedProcess process : processes) {
      check(process.service().holds().isEmpty(), "held: " + process.service().holds());
      check(process.service().waits().isEmpty(), "wait: " + process.service().waits());
      check(process.isDrained(), "a service is not closed");
    }
    List<String> left =
        store.keys().stream().filter(each -> each.matches(".*:(lock|queue|readers):.*")).toList();
    check(left.isEmpty(), "held or queued by nobody: " + left);
    check(asked.stream().allMatch(Future::isDone), "a future is not done");
  }

  /** Listeners have a thread of their own, which may be late. */
  private void checkTold() {
    for (SimulatedProcess process : processes) {
      for (ToldPairs told : process.told()) {
        Await.until("all ends are told: " + told.open(), () -> told.open().isEmpty());
        check(told.wrong().isEmpty(), "told wrongly: " + told.wrong());
      }
    }
  }

  private void comeToRest() {
    for (SimulatedProcess process : processes) {
      process.link().fails(false);
      process.goOn();
    }
    goesOn = false;
    Duration step = Duration.ofMillis(200);
    for (Duration passed = Duration.ZERO;
        passed.compareTo(BOUND) <= 0 && !threads.stream().allMatch(SimulatedThread::isIdle);
        passed = passed.plus(step)) {
      awaitRest();
      store.advance(step);
      throwFailure();
    }
    check(
        threads.stream().allMatch(SimulatedThread::isIdle),
        BOUND + " after the last fault some threads are not done");
  }

  /** Time moves while no thread runs. A thread that was just woken is not late by that move. */
  private void awaitRest() {
    for (int quiet = 0; quiet < 3; ) {
      LockSupport.parkNanos(50_000);
      boolean all = threads.stream().allMatch(Simulation::rests);
      quiet = all ? quiet + 1 : 0;
    }
  }

  /** One that waits for a monitor waits for a thread that runs. */
  private static boolean rests(SimulatedThread thread) {
    State now = thread.getState();
    return now != State.RUNNABLE && now != State.BLOCKED;
  }

  // Reports of the threads

  boolean goesOn() {
    return goesOn;
  }

  Stay enter(SimulatedThread thread, DistributedLock lock, @Nullable String id) {
    Stay own = new Stay(thread, lock, id);
    inside.add(own);
    for (Stay other : inside) {
      if (other.lock().name().equals(lock.name()) && !other.thread().equals(thread)) {
        checkExclusion(own, other);
      }
    }
    return own;
  }

  /** Checks its own hold before and after the other, so that both were valid at one moment. */
  private void checkExclusion(Stay own, Stay other) {
    boolean both = own.isValid() && other.isValid() && own.isValid() && inside.contains(other);
    if (both && !operator.hasDisturbed(own.id()) && !operator.hasDisturbed(other.id())) {
      failed(own + " and " + other + " both hold the lock", null);
    }
  }

  void leave(Stay stay) {
    inside.remove(stay);
  }

  long now() {
    return store.time().nanoTime();
  }

  void enter(Visit own) {
    visits.add(own);
    List<Visit> others =
        visits.stream()
            .filter(
                other -> other.name().equals(own.name()) && !other.thread().equals(own.thread()))
            .filter(other -> other.valid().getAsBoolean())
            .toList();
    int taken = own.share() + others.stream().mapToInt(Visit::share).sum();
    if (taken > own.places() && own.valid().getAsBoolean()) {
      boolean all = others.stream().allMatch(other -> other.valid().getAsBoolean());
      boolean stay = visits.containsAll(others) && own.valid().getAsBoolean();
      boolean excused = isExcused(own) || others.stream().anyMatch(this::isExcused);
      if (all && stay && !excused) {
        failed(own + " and " + others + " hold places at the same time", null);
      }
    }
  }

  /** Nobody has that lock before this time. */
  void rests(String name, long since, long end) {
    visits.removeIf(each -> each.thread().equals(nobody) && !each.valid().getAsBoolean());
    visits.add(new Visit(nobody, name, since, 1, 1, () -> now() - end < 0));
  }

  /** It must be done in the end. */
  void asked(Future<?> future) {
    asked.add(future);
  }

  /** A thread has ended while it held a lock. */
  void replace(SimulatedThread dead, SimulatedThread next) {
    threads.set(threads.indexOf(dead), next);
    next.start();
  }

  void leave(Visit visit) {
    visits.remove(visit);
  }

  /** A token smaller than an earlier one must belong to a hold that is over. */
  void token(long token, long since, BooleanSupplier valid) {
    long highest = lastToken.getAndUpdate(last -> Math.max(last, token));
    boolean late = token <= highest && valid.getAsBoolean();
    if (late && !operator.hasForced(SimulatedKinds.FENCED, since)) {
      failed("token " + token + " after " + highest, null);
    }
  }

  private boolean isExcused(Visit visit) {
    return operator.hasForced(visit.name(), visit.since());
  }

  void failed(String what, @Nullable Throwable cause) {
    failures.add(new AssertionError(what, cause));
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      failed(what, null);
    }
    throwFailure();
  }

  private void throwFailure() {
    AssertionError first = failures.peek();
    if (first != null) {
      throw new AssertionError(
          "%s%nto see it again run it with -Dmortise.simulation.seed=%d%nthreads: %s%nkeys: %s%nfaults: %s"
              .formatted(first.getMessage(), seed, threads, store.keys(), faults),
          first);
    }
  }
}
