package io.mortise.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps callbacks out of the engine's steps. An executor may run what it is given in place, on the
 * thread that brings it. Then a callback would run in the middle of a step, such as a release, and
 * callbacks that release would nest as deep as the line of waiters is long. So each thread keeps
 * the callbacks that come up during a step or a callback, and runs them one after the other when
 * its outermost one is over.
 */
final class Trampoline {
  private static final ThreadLocal<@Nullable Step> CURRENT = new ThreadLocal<>();

  /** Most have no callbacks, so most have no list of them. */
  private static final class Step {
    private @Nullable Deque<Runnable> later;

    void add(Runnable callback) {
      Deque<Runnable> known = later == null ? new ArrayDeque<>(2) : later;
      known.add(callback);
      later = known;
    }

    @Nullable Runnable next() {
      Deque<Runnable> known = later;
      return known == null ? null : known.poll();
    }
  }

  private Trampoline() {}

  /** Makes a step, and then runs the callbacks that came up. */
  static void step(Runnable step) {
    boolean unused =
        step(() -> {
          step.run();
          return true;
        });
  }

  /** The same for a step with a result. */
  static <T> T step(Supplier<T> step) {
    if (CURRENT.get() != null) {
      return step.get();
    }
    Step current = new Step();
    CURRENT.set(current);
    try {
      return step.get();
    } finally {
      try {
        for (Runnable next = current.next(); next != null; next = current.next()) {
          Events.guarded(next);
        }
      } finally {
        CURRENT.remove();
      }
    }
  }

  /** Runs a callback: now, or when what the calling thread is at is over. */
  static void callback(Runnable callback) {
    Step current = CURRENT.get();
    if (current == null) {
      step(callback);
    } else {
      current.add(callback);
    }
  }
}
