package io.mortise.internal.engine;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that a test moves, with a barrier at the return from a park. A thread at the barrier was
 * woken and has not checked anything yet. Time moves only while every thread that ever parked here
 * rests: it is parked, at the barrier, or waits for something else, such as a reply.
 */
final class StubTime implements TimeSource {
  static final Duration PATIENCE = Duration.ofSeconds(Integer.getInteger("mortise.patience", 15));

  private record Due(long instant, Runnable task) {}

  private final List<Due> timers = new ArrayList<>();
  private final Map<Thread, Long> parked = new HashMap<>();
  private final Set<Thread> known = new HashSet<>();
  private final Set<Thread> unparked = new HashSet<>();
  private final Map<Thread, Integer> unparks = new HashMap<>();
  private final Set<Thread> stopped = new HashSet<>();
  private final Set<Thread> woken = new HashSet<>();
  private volatile long now;
  private volatile Runnable atRead = () -> {};

  @Override
  public long nanoTime() {
    atRead.run();
    return now;
  }

  /** Runs the action at the next read of the time. */
  void atRead(Runnable action) {
    atRead = action;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    if (nanos <= 0) {
      return;
    }
    Thread thread = Thread.currentThread();
    synchronized (this) {
      parked.put(thread, now + nanos);
      known.add(thread);
    }
    LockSupport.park(blocker);
    synchronized (this) {
      parked.remove(thread);
      unparked.remove(thread);
      passBarrier(thread);
    }
  }

  @Override
  public void unpark(Thread thread) {
    synchronized (this) {
      if (parked.containsKey(thread)) {
        unparked.add(thread);
      }
      unparks.merge(thread, 1, Integer::sum);
    }
    LockSupport.unpark(thread);
  }

  /** How often the thread was unparked. */
  synchronized int unparks(Thread thread) {
    return unparks.getOrDefault(thread, 0);
  }

  /** Waits until the test lets the thread go. An interrupt meanwhile is kept. */
  private synchronized void passBarrier(Thread thread) {
    boolean interrupted = false;
    while (stopped.contains(thread)) {
      woken.add(thread);
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    woken.remove(thread);
    if (interrupted) {
      thread.interrupt();
    }
  }

  synchronized void stopAtWake(Thread thread) {
    stopped.add(thread);
  }

  synchronized void letGo(Thread thread) {
    stopped.remove(thread);
    notifyAll();
  }

  synchronized boolean isParked(Thread thread) {
    return parked.containsKey(thread) && rests(thread);
  }

  private boolean rests(Thread thread) {
    if (unparked.contains(thread) || (parked.containsKey(thread) && thread.isInterrupted())) {
      return false; // it is still parked, but not for long
    }
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING, TERMINATED -> true;
      case NEW, RUNNABLE, BLOCKED -> false;
    };
  }

  private synchronized List<Thread> awake() {
    return known.stream()
        .filter(thread -> !thread.equals(Thread.currentThread()) && !rests(thread))
        .toList();
  }

  private void awaitRest() {
    until(() -> "threads rest; awake are " + awake(), () -> awake().isEmpty());
  }

  void awaitParked(Thread thread) {
    until(thread.getName() + " parks", () -> isParked(thread));
  }

  void awaitWoken(Thread thread) {
    until(
        thread.getName() + " wakes",
        () -> {
          synchronized (this) {
            return woken.contains(thread);
          }
        });
  }

  static void until(String what, BooleanSupplier condition) {
    until(() -> what, condition);
  }

  static void until(Supplier<String> what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new AssertionError("not within " + PATIENCE + ": " + what.get());
      }
      LockSupport.parkNanos(200_000);
    }
  }

  @Override
  public synchronized Timer schedule(Runnable task, Duration delay) {
    Due due = new Due(now + delay.toNanos(), task);
    timers.add(due);
    return () -> cancel(due);
  }

  private synchronized void cancel(Due due) {
    timers.remove(due);
  }

  /** Moves time as a pause of the process does. Timers that are due do not run yet. */
  synchronized void pause(Duration by) {
    now += by.toNanos();
  }

  /** Moves time. Timers run at their instants, and parks end. */
  void advance(Duration by) {
    awaitRest();
    long target = now + by.toNanos();
    for (Due due = nextUntil(target); due != null; due = nextUntil(target)) {
      now = Math.max(now, due.instant());
      due.task().run();
    }
    now = target;
    synchronized (this) {
      parked.forEach((thread, end) -> {
        if (end <= target) {
          unpark(thread);
        }
      });
    }
    awaitRest();
  }

  private synchronized @Nullable Due nextUntil(long target) {
    Due first = null;
    for (Due due : timers) {
      if (due.instant() <= target && (first == null || due.instant() < first.instant())) {
        first = due;
      }
    }
    timers.remove(first);
    return first;
  }
}
