package io.mortise.spring;

import io.mortise.DistributedLock;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures what {@code @WithLock} costs beside the lock itself. It is a program, and no test. The
 * thread holds the lock already, so neither way sends a command. Run it on a machine without other
 * load.
 */
final class CostOfWithLock {
  private static final int TURNS = 101;
  private static final int CALLS = 20_000;

  private CostOfWithLock() {}

  /** Methods without work. */
  static class Work {
    int calls;

    public void call() {
      calls++;
    }

    @WithLock("cost")
    public void named() {
      calls++;
    }

    @WithLock("cost:#{#id}")
    public void computed(int id) {
      calls += id;
    }
  }

  /** Many calls; returns the time of each (ns). */
  private interface Turn {
    double run();
  }

  public static void main(String[] args) {
    try (World world = new World()) {
      Work proxy = world.start(Work.class).getBean(Work.class);
      Work target = World.target(proxy, Work.class);
      DistributedLock named = held(world, "cost");
      DistributedLock computed = held(world, "cost:7");
      compare("a fixed name", locked(named, target::call), calls(proxy::named));
      compare(
          "a name from a parameter",
          locked(computed, target::call),
          calls(() -> proxy.computed(7)));
      named.unlock();
      computed.unlock();
    }
  }

  private static DistributedLock held(World world, String name) {
    DistributedLock lock = world.here.getLock(name);
    lock.lock();
    return lock;
  }

  private static Turn locked(DistributedLock lock, Runnable work) {
    return calls(() -> {
      lock.lock();
      try {
        work.run();
      } finally {
        lock.unlock();
      }
    });
  }

  private static Turn calls(Runnable call) {
    return () -> {
      long start = System.nanoTime();
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
      return (System.nanoTime() - start) / (double) CALLS;
    };
  }

  private static void compare(String what, Turn lock, Turn annotation) {
    double[] more = new double[TURNS];
    for (int i = -TURNS; i < TURNS; i++) { // the first half only warms up
      double base = lock.run();
      double measured = annotation.run();
      if (i >= 0) {
        more[i] = measured - base;
      }
    }
    Arrays.sort(more);
    System.out.printf(
        Locale.ROOT,
        "%s: %.0f ns more than the lock (quartiles %.0f and %.0f)%n",
        what,
        more[TURNS / 2],
        more[TURNS / 4],
        more[3 * TURNS / 4]);
  }
}
