package io.mortise.internal.concurrent;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task after the other, on the threads that bring them. A thread that brings a task while
 * another thread runs one leaves it to that thread. So the tasks need no lock between each other,
 * no thread waits, and a task that brings the next one does not run it inside itself. Thread-safe.
 */
public final class SerialExecutor {
  private static final Logger log = LoggerFactory.getLogger(SerialExecutor.class);

  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Runs the task, now or after those that came before. The task must not block. */
  public void run(Runnable task) {
    tasks.add(task);
    if (waiting.getAndIncrement() == 0) {
      Trampoline.step(this::runAll);
    }
  }

  private void runAll() {
    do {
      runNext();
    } while (waiting.decrementAndGet() > 0);
  }

  private void runNext() {
    Runnable next = tasks.poll();
    try {
      if (next != null) {
        next.run();
      }
    } catch (Throwable e) { // an Error too: those after it would wait for ever
      log.error("a task failed; the tasks after it still run", e);
    }
  }
}
