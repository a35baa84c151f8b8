package io.mortise.jmh.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Threads that divide steps among themselves. They live on, because a lock ends with its thread.
 */
final class Owners implements AutoCloseable {
  private static final long PROGRESS_NANOS = 5_000_000_000L;

  private final int count;
  private final ExecutorService threads;

  Owners(int count) {
    this.count = count;
    threads =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = new Thread(task, "owner");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Takes a step for each number below this one, and shows the progress of a long way. */
  void each(int steps, IntConsumer step) throws Exception {
    AtomicInteger done = new AtomicInteger();
    List<Future<?>> parts = new ArrayList<>();
    for (int thread = 0; thread < count; thread++) {
      int first = thread;
      parts.add(
          threads.submit(() -> {
            long shown = System.nanoTime();
            for (int i = first; i < steps; i += count) {
              step.accept(i);
              int all = done.incrementAndGet();
              if (first == 0 && System.nanoTime() - shown > PROGRESS_NANOS) {
                shown = System.nanoTime();
                System.err.printf("    %,d of %,d%n", all, steps);
              }
            }
          }));
    }
    for (Future<?> part : parts) {
      part.get();
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
