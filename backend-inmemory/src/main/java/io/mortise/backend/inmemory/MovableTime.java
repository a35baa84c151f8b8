package io.mortise.backend.inmemory;

import io.mortise.spi.TimeSource;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until {@link #advance} moves it. Due events happen in order of time.
 * Timers run on the advancing thread. Parked threads are woken, and {@code advance} waits until
 * they rest again. It also waits for threads that another thread has just woken. A timer without
 * delay needs no move: it runs at once, on a thread of its own.
 *
 * <p>This object's monitor guards the state, and is held for a few instructions only. A {@link
 * ReentrantLock} would not do, because its waiting threads park. {@link #parkNanos} could then use
 * up the permit that an earlier {@link LockSupport#unpark} has left for its caller.
 */
final class MovableTime implements TimeSource {
  private static final long LOOK_EVERY = TimeUnit.MICROSECONDS.toNanos(100);
  private static final int QUIET_LOOKS = 8;
  private static final long LONGEST_REST = TimeUnit.SECONDS.toNanos(15);

  /** The end of a thread's park, or the start of a task. */
  private static final class Due implements Comparable<Due> {
    final long instant;
    final long sequence;
    final @Nullable Runnable task;
    boolean over;

    Due(long instant, long sequence, @Nullable Runnable task) {
      this.instant = instant;
      this.sequence = sequence;
      this.task = task;
    }

    @Override
    public int compareTo(Due other) {
      int byInstant = Long.compare(instant, other.instant);
      return byInstant != 0 ? byInstant : Long.compare(sequence, other.sequence);
    }
  }

  private final Predicate<Thread> busy;
  private final ReentrantLock moving = new ReentrantLock();
  private final NavigableSet<Due> timers = new TreeSet<>();
  private final Map<Thread, Due> parked = new HashMap<>();

  /** Threads that have left a park and were not seen at rest since. */
  private final Set<Thread> awake = Collections.newSetFromMap(new WeakHashMap<>());

  private long sequence;
  private volatile long now;
  private volatile long suspended;

  /**
   * Creates a time that starts at zero.
   *
   * @param busy tests for threads that are not at rest although their state says so
   */
  MovableTime(Predicate<Thread> busy) {
    this.busy = busy;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  public long currentTimeMillis() {
    return (now + suspended) / 1_000_000;
  }

  /**
   * Moves the wall clock alone, as if the machine had been suspended or its clock set. What comes
   * after that is a millisecond later.
   */
  synchronized void stepWallClock(Duration by) {
    now += 1_000_000;
    suspended += by.toNanos();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    if (nanos <= 0) {
      return;
    }
    Thread thread = Thread.currentThread();
    synchronized (this) {
      awake.remove(thread);
      parked.put(thread, new Due(later(nanos), sequence++, null));
    }
    try {
      LockSupport.park(blocker);
    } finally {
      synchronized (this) {
        parked.remove(thread);
        awake.add(thread);
      }
    }
  }

  /** Wakes the thread. From now on the thread is not at rest, though it may take a while to run. */
  @Override
  public void unpark(Thread thread) {
    synchronized (this) {
      Due park = parked.get(thread);
      if (park != null) {
        park.over = true;
      }
    }
    LockSupport.unpark(thread);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    boolean atOnce = delay.isNegative() || delay.isZero();
    Due timer;
    synchronized (this) {
      timer = new Due(atOnce ? now : later(TimeUnit.NANOSECONDS.convert(delay)), sequence++, task);
      timers.add(timer);
    }
    if (atOnce) {
      Thread thread =
          new Thread(null, () -> advance(Duration.ZERO), "mortise-timer-at-once", 0, false);
      thread.setDaemon(true);
      thread.start();
    }
    return () -> cancel(timer);
  }

  private synchronized void cancel(Due timer) {
    timers.remove(timer);
  }

  private long later(long nanos) {
    return nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
  }

  /** Moves on, instant by instant, until this much time has passed and nothing more is due. */
  void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("time cannot go back: " + by);
    }
    boolean interrupted = Thread.interrupted();
    moving.lock();
    try {
      long target = later(TimeUnit.NANOSECONDS.convert(by));
      awaitRest(woken());
      while (step(target)) {
        // step() does the work
      }
    } finally {
      moving.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Moves to the next instant at which something is due. Returns false if that is after the target.
   */
  private boolean step(long target) {
    List<Thread> watched;
    synchronized (this) {
      long next = next();
      if (next > target) {
        now = target;
        return false;
      }
      now = Math.max(now, next);
      watched = new ArrayList<>(parked.keySet());
    }
    for (Runnable task = nextTask(); task != null; task = nextTask()) {
      task.run();
    }
    wakeThreads();
    awaitRest(watched);
    return true;
  }

  /** The other threads that were woken, and perhaps have not done yet what they were woken for. */
  private synchronized List<Thread> woken() {
    awake.remove(Thread.currentThread());
    return Stream.concat(
            parked.keySet().stream().filter(thread -> !isAtRest(thread)), awake.stream())
        .toList();
  }

  private long next() {
    long next = timers.isEmpty() ? Long.MAX_VALUE : timers.first().instant;
    for (Due park : parked.values()) {
      next = park.over ? next : Math.min(next, park.instant);
    }
    return next;
  }

  private synchronized @Nullable Runnable nextTask() {
    if (timers.isEmpty() || timers.first().instant > now) {
      return null;
    }
    Due timer = timers.pollFirst();
    return timer == null ? null : timer.task;
  }

  private synchronized void wakeThreads() {
    parked.entrySet().stream()
        .filter(entry -> !entry.getValue().over && entry.getValue().instant <= now)
        .sorted(Map.Entry.comparingByValue())
        .forEach(entry -> {
          entry.getValue().over = true;
          LockSupport.unpark(entry.getKey());
        });
  }

  /**
   * Waits until all these threads were seen at rest several times in a row. Once is not enough: a
   * timer may have woken a thread without this object's knowledge. The wait ends after 15 seconds,
   * even if a thread does not come to rest. A shorter limit would let time overtake a thread that
   * has no processor, and a test would tell of a fault that is none.
   */
  private void awaitRest(Collection<Thread> threads) {
    long limit = System.nanoTime() + LONGEST_REST;
    int quiet = threads.isEmpty() ? QUIET_LOOKS : 0;
    while (quiet < QUIET_LOOKS && System.nanoTime() - limit < 0) {
      LockSupport.parkNanos(LOOK_EVERY);
      quiet = threads.stream().allMatch(this::isAtRest) ? quiet + 1 : 0;
    }
    synchronized (this) {
      threads.forEach(awake::remove);
    }
  }

  private boolean isAtRest(Thread thread) {
    synchronized (this) {
      Due park = parked.get(thread);
      if (park != null) {
        return !park.over && !thread.isInterrupted();
      }
    }
    return thread.getState() != Thread.State.RUNNABLE && !busy.test(thread);
  }

  /** Waits until this many threads are parked here, at most this long in real time. */
  void awaitParked(int threads, Duration longest) {
    long limit = System.nanoTime() + longest.toNanos();
    for (List<String> names = parkedNames(); names.size() < threads; names = parkedNames()) {
      if (System.nanoTime() - limit > 0) {
        throw new IllegalStateException(
            "waited " + longest + " for " + threads + " threads to park; parked are " + names);
      }
      LockSupport.parkNanos(LOOK_EVERY);
    }
  }

  private synchronized List<String> parkedNames() {
    return parked.entrySet().stream()
        .filter(entry -> !entry.getValue().over)
        .map(entry -> Shown.of(entry.getKey()))
        .sorted()
        .toList();
  }

  @Override
  public String toString() {
    return "movable time, " + Duration.ofNanos(now) + " after its start";
  }
}
