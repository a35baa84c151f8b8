package io.mortise.backend.inmemory;

import io.mortise.LockService;
import io.mortise.RedLock;
import io.mortise.backend.inmemory.SimulatedNode.Fault;
import io.mortise.spi.LockBackend;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Some processes share Redlocks on three or five nodes, with moved time. First comes a storm, in
 * which nodes fail at random. Then comes calm: at most a minority is silent or held by another
 * client, and a waiter must get a free lock within a bound. In the end all threads must finish, and
 * every node must be empty.
 */
final class RedSimulation {
  static final Duration LEASE = Duration.ofSeconds(3);
  static final Duration MEMBER_TIMEOUT = LEASE.dividedBy(20);

  /** A command may be out for so long, also if its node has recovered meanwhile. */
  private static final Duration COMMAND_TIMEOUT = LEASE.dividedBy(3);

  /** The last pause of an attempt ends just after its time. */
  private static final Duration LATEST_LOOK = Duration.ofMillis(1);

  private static final String LOCK = "red";
  private static final List<Fault> FAULTS = List.of(Fault.DOWN, Fault.SILENT, Fault.LATE);
  private static final int PROCESSES = 3;
  private static final int THREADS = 2;
  private static final Duration STORM = Duration.ofSeconds(6);
  private static final Duration CALM = Duration.ofSeconds(4);

  /**
   * After that the storm has left nothing: no lease, no late command, no grant to a dead waiter.
   */
  private static final Duration SETTLED = LEASE.plusSeconds(3);

  /**
   * The longest time from the release until a waiter holds the lock: some quick rounds, each of
   * which may meet a silent node.
   */
  private static final Duration LONGEST_GAP = Duration.ofSeconds(1);

  /** A dead holder's lease, and the time in which a waiter notices its end. */
  private static final Duration LONGEST_AFTER_DEATH = LEASE.plusSeconds(3);

  private static final Duration LONGEST_REST = Duration.ofSeconds(45);
  private static final Duration FORGOTTEN = Duration.ofSeconds(150);

  /** A thread's hold, for as long as the thread believes in it. */
  record Stay(Thread thread, RedLock lock) {
    boolean isValid() {
      return lock.isHeldByThread(thread.getId());
    }
  }

  private record Party(List<LockBackend> clients, List<LockService> services, RedLock lock) {}

  private record Death(Stay stay, long at) {}

  private final long seed;
  private final Random random;
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final List<SimulatedNode> nodes = new ArrayList<>();
  private final List<Party> processes = new ArrayList<>();
  private final List<RedSimulatedThread> threads = new CopyOnWriteArrayList<>();
  private final Queue<Stay> inside = new ConcurrentLinkedQueue<>();
  private final Queue<Death> deaths = new ConcurrentLinkedQueue<>();
  private final Queue<AssertionError> failures = new ConcurrentLinkedQueue<>();
  private final Queue<Future<?>> futures = new ConcurrentLinkedQueue<>();
  private final List<String> faults = new ArrayList<>();
  private final int spare;
  private long lastInside;
  private volatile boolean goesOn = true;
  private int born;
  private int entered;

  RedSimulation(long seed) {
    this.seed = seed;
    random = new Random(seed);
    int count = random.nextBoolean() ? 3 : 5;
    spare = (count - 1) / 2;
    for (int i = 0; i < count; i++) {
      nodes.add(new SimulatedNode(store, i, random.nextLong()));
    }
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(open());
    }
  }

  private Party open() {
    List<LockBackend> clients = nodes.stream().map(SimulatedNode::client).toList();
    List<LockService> services = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      services.add(
          LockService.builder()
              .backend(clients.get(i))
              .keyPrefix(nodes.get(i).prefix())
              .leaseTime(LEASE)
              .executor(Runnable::run)
              .open());
    }
    RedLock lock =
        RedLock.of(
            services.stream()
                .map(each -> each.getLock("red"))
                .toArray(io.mortise.LeasedLock[]::new));
    return new Party(clients, services, lock);
  }

  /** Runs the simulation. Returns how often a thread held the lock. */
  int run() {
    for (int i = 0; i < PROCESSES * THREADS; i++) {
      bear(i % PROCESSES);
    }
    storm();
    calm();
    comeToRest();
    checkNothingIsHeld();
    for (Party process : processes) {
      process.services().forEach(LockService::close);
      process.clients().forEach(LockBackend::close);
    }
    nodes.forEach(SimulatedNode::close);
    store.advance(FORGOTTEN);
    check(store.keys().equals(Set.of()), "keys are left: " + store.keys());
    check(store.channels().equals(Set.of()), "channels are left: " + store.channels());
    return entered;
  }

  private void bear(int process) {
    RedSimulatedThread thread =
        new RedSimulatedThread(
            this,
            processes.get(process).lock(),
            "process-" + process + "-thread-" + born++,
            random.nextLong());
    threads.add(thread);
    thread.start();
  }

  // What happens

  private void storm() {
    for (long start = now(); since(start).compareTo(STORM) < 0; ) {
      fault();
      pass(Duration.ofMillis(1 + random.nextInt(60)));
    }
  }

  private void fault() {
    SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
    int kind = random.nextInt(40);
    long failing = failing();
    if (kind < 2) {
      threads.get(random.nextInt(threads.size())).interrupt();
    } else if (kind < 6 && node.fault() == Fault.NONE && (failing < spare || kind == 2)) {
      fail(node, FAULTS.get(random.nextInt(FAULTS.size())));
    } else if (kind < 14 && node.fault() != Fault.NONE) {
      recover(node);
    } else if (kind == 16) {
      Duration by = Duration.ofMillis(random.nextInt(2 * (int) LEASE.toMillis()));
      faults.add(Duration.ofNanos(now()) + " the wall clock steps by " + by);
      store.stepWallClock(by);
    } else if (kind == 14) {
      giveBackKept();
    } else if (kind == 15) {
      giveBackKept();
      keepSome();
    }
  }

  private long failing() {
    return nodes.stream().filter(each -> each.fault() != Fault.NONE).count();
  }

  private void fail(SimulatedNode node, Fault how) {
    faults.add(Duration.ofNanos(now()) + " " + node.prefix() + how);
    node.fail(how);
  }

  /** A node that was down for longer than any lease may have lost its data. */
  private void recover(SimulatedNode node) {
    boolean empty =
        node.fault() == Fault.DOWN
            && node.inState().compareTo(LEASE.plusMillis(100)) > 0
            && random.nextBoolean();
    if (empty) {
      node.wipe();
    }
    faults.add(
        Duration.ofNanos(now()) + " " + node.prefix() + "recovers" + (empty ? " empty" : ""));
    node.recover();
  }

  /** Another client locks a minority of the members, where they are free. */
  private void keepSome() {
    int first = random.nextInt(nodes.size());
    for (int i = 0; i < spare; i++) {
      nodes.get((first + i) % nodes.size()).keep(LOCK);
    }
    faults.add(Duration.ofNanos(now()) + " kept: " + nodes);
  }

  private void giveBackKept() {
    nodes.forEach(SimulatedNode::giveBackKept);
  }

  /** A minority of the nodes, at most, stays silent or held by another client. */
  private void calm() {
    giveBackKept();
    nodes.stream().filter(each -> each.fault() != Fault.NONE).forEach(this::recover);
    if (random.nextBoolean()) {
      keepSome();
    } else {
      for (int i = random.nextInt(spare + 1); i > 0; i--) {
        fail(nodes.get(random.nextInt(nodes.size())), Fault.SILENT);
      }
    }
    long start = now();
    while (since(start).compareTo(SETTLED) < 0) {
      pass(Duration.ofMillis(1 + random.nextInt(60)));
    }
    lastInside = now();
    while (since(start).compareTo(SETTLED.plus(CALM)) < 0) {
      pass(Duration.ofMillis(1 + random.nextInt(20)));
      checkGap();
    }
  }

  /** Checks that a free lock has no waiter for long. */
  private void checkGap() {
    boolean held = inside.stream().anyMatch(Stay::isValid);
    long dead =
        deaths.stream()
            .mapToLong(death -> death.at() + LONGEST_AFTER_DEATH.toNanos())
            .max()
            .orElse(0);
    if (held || now() < dead || threads.stream().noneMatch(RedSimulatedThread::isWaiting)) {
      lastInside = now();
    }
    long waiting =
        threads.stream()
            .filter(RedSimulatedThread::isWaiting)
            .mapToLong(RedSimulatedThread::waitsSince)
            .min()
            .orElse(now());
    Duration gap = since(Math.max(lastInside, waiting));
    check(gap.compareTo(LONGEST_GAP) <= 0, "free for " + gap + " while a thread waits");
  }

  private void comeToRest() {
    giveBackKept();
    nodes.stream().filter(each -> each.fault() != Fault.NONE).forEach(this::recover);
    goesOn = false;
    long start = now();
    while (since(start).compareTo(LONGEST_REST) < 0
        && !threads.stream().allMatch(RedSimulatedThread::isIdle)) {
      pass(Duration.ofMillis(200));
    }
    check(
        threads.stream().allMatch(RedSimulatedThread::isIdle),
        LONGEST_REST + " after the last fault some threads are not done");
  }

  /** The services are still open, so what one of them has forgotten would be renewed. */
  private void checkNothingIsHeld() {
    for (long start = now(); since(start).compareTo(LONGEST_AFTER_DEATH.multipliedBy(2)) < 0; ) {
      pass(Duration.ofMillis(200));
    }
    List<String> left =
        store.keys().stream()
            .filter(each -> each.contains(":lock:") || each.contains(":queue:"))
            .toList();
    check(left.isEmpty(), "held or queued by nobody: " + left);
    check(futures.stream().allMatch(Future::isDone), "a lease that was asked for is not decided");
    throwFailure();
  }

  private void pass(Duration step) {
    awaitRest();
    store.advance(step);
    awaitRest();
    checkDeaths();
    throwFailure();
  }

  private void checkDeaths() {
    for (Death death : deaths) {
      boolean held = death.stay().isValid();
      if (!held) {
        inside.remove(death.stay());
      }
      check(
          !held || since(death.at()).compareTo(LEASE) <= 0,
          death.stay() + " died " + since(death.at()) + " ago and holds it still");
    }
    deaths.removeIf(death -> since(death.at()).compareTo(LONGEST_AFTER_DEATH) > 0);
  }

  /** Time moves while no thread runs. A thread that was just woken is not late by that move. */
  private void awaitRest() {
    for (int quiet = 0; quiet < 3; ) {
      LockSupport.parkNanos(50_000);
      boolean all = threads.stream().noneMatch(thread -> thread.getState() == State.RUNNABLE);
      quiet = all ? quiet + 1 : 0;
    }
  }

  // Reports of the threads

  boolean goesOn() {
    return goesOn;
  }

  long now() {
    return store.time().nanoTime();
  }

  Duration since(long start) {
    return Duration.ofNanos(now() - start);
  }

  void park(Duration time) {
    long end = now() + time.toNanos();
    while (now() < end && !Thread.currentThread().isInterrupted()) {
      store.time().parkNanos(this, end - now());
    }
  }

  /** It must be done when all threads are. */
  void asked(Future<?> lease) {
    futures.add(lease);
  }

  synchronized Stay enter(RedSimulatedThread thread, RedLock lock) {
    Stay own = new Stay(thread, lock);
    entered++;
    inside.add(own);
    for (Stay other : inside) {
      boolean both = !other.equals(own) && own.isValid() && other.isValid() && own.isValid();
      if (both && inside.contains(other)) {
        failed(own + " and " + other + " both hold the lock", null);
      }
    }
    return own;
  }

  void leave(Stay stay) {
    inside.remove(stay);
  }

  /** Its thread ends while it holds the lock, and another thread replaces it. */
  void dies(Stay stay) {
    deaths.add(new Death(stay, now()));
  }

  void replace(RedSimulatedThread dead) {
    threads.remove(dead);
    int process = 0;
    while (!processes.get(process).lock().equals(dead.lock())) {
      process++;
    }
    bear(process);
  }

  /** Whatever fails, an attempt is late by at most the timeout of a member. */
  boolean tryLock(RedLock lock, int millis) throws InterruptedException {
    long start = now();
    try {
      return lock.tryLock(millis, TimeUnit.MILLISECONDS);
    } finally {
      Duration late = since(start).minusMillis(millis);
      check(
          late.compareTo(MEMBER_TIMEOUT.plus(LATEST_LOOK)) <= 0,
          "tryLock(%d ms) was late by %s".formatted(millis, late));
    }
  }

  /**
   * A release waits for silent members at most the timeout of a member. That holds if at most a
   * minority has failed since the attempt began, and no other node owed an answer then.
   */
  void unlock(RedLock lock, long askedAt) {
    long start = now();
    try {
      lock.unlock();
    } finally {
      long since = askedAt - COMMAND_TIMEOUT.toNanos();
      long failed = nodes.stream().filter(each -> each.hasFailedSince(since)).count();
      Duration took = since(start);
      check(failed > spare || took.compareTo(MEMBER_TIMEOUT) <= 0, "unlock() took " + took);
    }
  }

  void failed(String what, @Nullable Throwable cause) {
    failures.add(new AssertionError(what, cause));
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      failed(what, null);
    }
  }

  private void throwFailure() {
    AssertionError first = failures.peek();
    if (first != null) {
      throw new AssertionError(
          "%s%nto see it again run it with -Dmortise.simulation.seed=%d%nat %s, threads: %s%nnodes: %s%nkeys: %s%nfaults: %s"
              .formatted(
                  first.getMessage(),
                  seed,
                  Duration.ofNanos(now()),
                  threads,
                  nodes,
                  store.keys(),
                  faults),
          first);
    }
  }
}
