package io.mortise.internal.concurrent;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps callbacks out of the engine's steps. An executor may run a task in place, on the thread
 * that brings it. Then a callback would run in the middle of a step, such as a release. And
 * callbacks that release would nest as deep as the queue of waiters is long. So each thread keeps
 * the callbacks that come up during a step or a callback. It runs them one after the other when its
 * outermost step is over.
 */
public final class Trampoline {
  private static final Logger log = LoggerFactory.getLogger(Trampoline.class);

  /** The callbacks of most steps. It stays empty. */
  private static final Deque<Runnable> NONE = new ArrayDeque<>(0);

  /** What runs after the step of the calling thread; null if it is in none. */
  private static final ThreadLocal<@Nullable Deque<Runnable>> LATER = new ThreadLocal<>();

  private Trampoline() {}

  /** Runs a step, and then the callbacks that came up. */
  public static void step(Runnable step) {
    boolean unused =
        step(() -> {
          step.run();
          return true;
        });
  }

  /** As {@link #step(Runnable)}, for a step with a result. */
  public static <T> T step(Supplier<T> step) {
    if (LATER.get() != null) {
      return step.get();
    }
    LATER.set(NONE);
    try {
      return step.get();
    } finally {
      try {
        Deque<Runnable> callbacks = Objects.requireNonNull(LATER.get());
        for (Runnable next = callbacks.poll(); next != null; next = callbacks.poll()) {
          guarded(next);
        }
      } finally {
        LATER.set(null); // the next step then makes no entry, and the entry keeps no class
      }
    }
  }

  /** Runs a callback: now, or after the outermost step of the calling thread. */
  @SuppressWarnings("ReferenceEquality")
  public static void callback(Runnable callback) {
    Deque<Runnable> callbacks = LATER.get();
    if (callbacks == null) {
      step(callback);
      return;
    }
    if (callbacks == NONE) { // not any empty one: a step that runs its callbacks polls its own
      callbacks = new ArrayDeque<>(2);
      LATER.set(callbacks);
    }
    callbacks.add(callback);
  }

  /** Runs each of these, also after one that throws. What they throw is logged. */
  public static Runnable all(Runnable... steps) {
    return () -> {
      for (Runnable step : steps) {
        try {
          step.run();
        } catch (Throwable e) { // an Error too: a thread may wait for the steps after it
          log.error("a step failed, and those after it run", e);
        }
      }
    };
  }

  /** Runs code of the application. What it throws is logged and goes no further. */
  public static void guarded(Runnable call) {
    guarded(run -> run.run(), call);
  }

  /** As {@link #guarded(Runnable)}, for a call on an object. */
  public static <T> void guarded(Consumer<? super T> call, T to) {
    try {
      call.accept(to);
    } catch (Throwable e) { // an Error too: the lock's state does not depend on a listener
      log.warn("a lock listener failed", e);
    }
  }
}
