package io.mortise.junit;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.LockBackend;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Everything around the code under test: a store in memory, its time, the test's own service and
 * those of other processes. JUnit tests receive it as a parameter, see {@link MortiseTest}. Other
 * tests open one themselves:
 *
 * <pre>{@code
 * try (LockWorld world = LockWorld.withMovableTime(Duration.ofSeconds(30))) {
 *   LockService locks = world.service();
 * }
 * }</pre>
 *
 * <p>Each service acts as a process of its own, with its own client id, holds and queue places.
 * Thread-safe.
 */
public final class LockWorld implements AutoCloseable {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
  private static final Duration LONGEST_REST = Duration.ofSeconds(2);
  private static final long LOOK_EVERY = TimeUnit.MICROSECONDS.toNanos(200);
  private static final int QUIET_LOOKS = 5;

  private final boolean movable;
  private final Duration leaseTime;
  private final InMemoryStore store;
  private final StoreView view;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<LockService, Link> processes = new LinkedHashMap<>();

  /** Kept, because a lease that nothing refers to is not renewed. */
  private final List<Lease> elsewhere = new ArrayList<>();

  private final LockService service;
  private final Link ownLink;
  private volatile boolean down;
  private volatile boolean faulty;

  private LockWorld(boolean movable, Duration leaseTime) {
    this.movable = movable;
    this.leaseTime = leaseTime;
    store = movable ? InMemoryStore.withMovableTime() : InMemoryStore.create();
    view = new StoreView(store);
    ownLink = new Link(store.backend(), () -> down);
    service = open(ownLink);
  }

  /**
   * Opens a world whose time stands still until {@link #advance} moves it.
   *
   * @param leaseTime the lease of holds without an explicit lease, at least 100 ms
   * @return a new world, which the caller closes
   * @throws IllegalArgumentException the lease time is out of range
   */
  public static LockWorld withMovableTime(Duration leaseTime) {
    return new LockWorld(true, leaseTime);
  }

  /**
   * Opens a world on the time of the system.
   *
   * @param leaseTime the lease of holds without an explicit lease, at least 100 ms
   * @return a new world, which the caller closes
   * @throws IllegalArgumentException the lease time is out of range
   */
  public static LockWorld withSystemTime(Duration leaseTime) {
    return new LockWorld(false, leaseTime);
  }

  private LockService open(Link link) {
    LockService opened = LockService.builder().leaseTime(leaseTime).backend(link).open();
    lock.lock();
    try {
      processes.put(opened, link);
    } finally {
      lock.unlock();
    }
    return opened;
  }

  /**
   * The test's own service, for the code under test.
   *
   * @return the same service every time
   */
  public LockService service() {
    return service;
  }

  /**
   * Opens a service that acts as another process on the same store.
   *
   * @return a new service, which this world closes
   */
  public LockService anotherProcess() {
    return open(new Link(store.backend(), () -> down));
  }

  /**
   * Opens a backend on the same store, for a service with options of its own. {@link #storeDown}
   * applies to it.
   *
   * @return an open backend, which the caller closes, or a service that owns it
   */
  public LockBackend backend() {
    return new Link(store.backend(), () -> down);
  }

  /**
   * Ends a process as {@code kill -9} does. Nothing is given back, and nothing is renewed any more:
   * its holds end with their leases. Threads that wait in that service get a {@link
   * io.mortise.LockServiceClosedException}.
   *
   * @param process a service of this world
   * @throws IllegalArgumentException it is not a service of this world
   */
  public void crash(LockService process) {
    link(process).cut();
    process.close();
  }

  private Link link(LockService process) {
    lock.lock();
    try {
      Link link = processes.get(process);
      if (link == null) {
        throw new IllegalArgumentException(
            process + " is not of this world; pass service() or a result of anotherProcess()");
      }
      return link;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Moves the time. Leases end, renewals run, waits and timers run out, in the order of time. It
   * returns after everything that is due has run, except callbacks to listeners and futures, which
   * run on another thread.
   *
   * @param duration how far to move, not negative
   * @throws IllegalStateException this world runs on the time of the system
   */
  public void advance(Duration duration) {
    if (!movable) {
      throw new IllegalStateException(
          "advance: this world runs on the time of the system; use @MortiseTest(time = MOVABLE) or"
              + " LockWorld.withMovableTime");
    }
    store.advance(duration);
  }

  /**
   * Waits until so many acquisitions wait in the store's queue for a lock, a semaphore or a latch
   * of that name. A service has one place there for all its threads at a plain lock. Each thread
   * has its own place at a fair lock, a read/write lock, a semaphore and a latch, and so has each
   * lease request. It then waits for the threads of these acquisitions to be at rest, so that
   * {@link #advance} reaches them. That takes at most two seconds.
   *
   * @param name the name, without prefix
   * @param count the least number of waiting acquisitions
   * @throws IllegalStateException ten seconds of real time have passed without that number
   */
  public void awaitWaiting(String name, int count) {
    long start = System.nanoTime();
    List<Long> threads = view.waitingThreads(name);
    while (threads.size() < count) {
      if (System.nanoTime() - start > LONGEST_WAIT.toNanos()) {
        throw new IllegalStateException(
            "waited %s for %d acquisitions in the queue of '%s'; there are %d, and %s are held"
                .formatted(LONGEST_WAIT, count, Shown.of(name), threads.size(), holds()));
      }
      LockSupport.parkNanos(LOOK_EVERY);
      threads = view.waitingThreads(name);
    }
    awaitRest(threads);
  }

  /** One look is not enough: a thread may wait for something else on its way. */
  private static void awaitRest(Collection<Long> ids) {
    Set<Long> wanted = Set.copyOf(ids);
    List<Thread> threads =
        Thread.getAllStackTraces().keySet().stream()
            .filter(
                thread -> wanted.contains(thread.getId()) && !thread.equals(Thread.currentThread()))
            .toList();
    long start = System.nanoTime();
    int quiet = 0;
    while (quiet < QUIET_LOOKS && System.nanoTime() - start < LONGEST_REST.toNanos()) {
      boolean atRest = threads.stream().noneMatch(LockWorld::isRunning);
      quiet = atRest ? quiet + 1 : 0;
      LockSupport.parkNanos(LOOK_EVERY);
    }
  }

  private static boolean isRunning(Thread thread) {
    return thread.getState() == Thread.State.RUNNABLE;
  }

  /**
   * Lets every command of every process fail from now on. Such a command is certainly not executed.
   * Keys stay, and their leases run on.
   */
  public void storeDown() {
    faulty = true;
    down = true;
  }

  /** Lets commands reach the store again. */
  public void storeUp() {
    down = false;
  }

  /**
   * Loses the reply to the next command of the test's own {@link #service}. The command runs in the
   * store, and the service does not learn its result. Several calls lose several replies.
   */
  public void loseReply() {
    faulty = true;
    ownLink.loseReply();
  }

  /**
   * What all processes hold in the store now. A grant that its waiter has not confirmed yet counts
   * as a hold, and so does the rest that {@code unlockAfter} or {@code closeAfter} keeps.
   *
   * @return holds by key; nothing whose lease has ended
   */
  public List<StoreHold> holds() {
    return view.holds();
  }

  /**
   * The keys that exist in the store now, for example to see that nothing is left behind.
   *
   * @return a sorted copy
   */
  public Set<String> keys() {
    return store.keys();
  }

  /** Lets a process of its own hold a lock as long as this world is open. */
  void holdElsewhere(String name) throws InterruptedException {
    Lease lease =
        anotherProcess()
            .getLock(name)
            .tryAcquire(Duration.ZERO)
            .orElseThrow(
                () -> new IllegalStateException("'" + Shown.of(name) + "' is already held"));
    lock.lock();
    try {
      elsewhere.add(lease);
    } finally {
      lock.unlock();
    }
  }

  /** What the test's own service holds and has not begun to give back. */
  List<StoreHold> leaks() {
    storeUp();
    if (ownLink.isCut()) {
      return List.of(); // the test crashed its own service, which holds what it held
    }
    if (faulty && movable) {
      advance(Duration.ofSeconds(5)); // a release that has failed is sent again within this time
    }
    long patience = TimeUnit.SECONDS.toNanos(faulty && !movable ? 5 : 1);
    long start = System.nanoTime();
    List<StoreHold> own = ownHolds();
    while (!own.isEmpty() && System.nanoTime() - start < patience) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      own = ownHolds();
    }
    return own;
  }

  private List<StoreHold> ownHolds() {
    String self = service.clientId();
    return view.holdsWithoutRests().stream().filter(hold -> hold.clientId().equals(self)).toList();
  }

  /** Closes all services, and then the store. Idempotent. */
  @Override
  public void close() {
    storeUp();
    lock.lock();
    try {
      elsewhere.forEach(each -> each.releaseAsync().exceptionally(lost -> null));
      processes.keySet().forEach(LockService::close);
    } finally {
      lock.unlock();
    }
    view.close();
  }

  @Override
  public String toString() {
    return "LockWorld[" + store + ", " + store.time() + ", holds " + holds() + ']';
  }
}
