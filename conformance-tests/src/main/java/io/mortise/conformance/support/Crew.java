package io.mortise.conformance.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Threads that run the same task at the same time. A failure in one of them fails the test. */
public final class Crew {
  /** The task of one thread. */
  public interface Task {
    void run(int number) throws Exception;
  }

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch ended;

  private Crew(ThreadKind kind, int size, Task task) {
    ended = new CountDownLatch(size);
    for (int i = 0; i < size; i++) {
      int number = i;
      threads.add(kind.start(() -> run(task, number)));
    }
  }

  public static Crew start(ThreadKind kind, int size, Task task) {
    return new Crew(kind, size, task);
  }

  /** Runs the task in that many platform threads and waits for their end. */
  public static void run(int size, Task task) throws InterruptedException {
    start(ThreadKind.PLATFORM, size, task).join(Duration.ofSeconds(60));
  }

  private void run(Task task, int number) {
    try {
      task.run(number);
    } catch (Throwable e) {
      failures.add(e);
    } finally {
      ended.countDown();
    }
  }

  public Thread first() {
    return threads.get(0);
  }

  /** Whether all threads have come to their end. */
  public boolean hasEnded() {
    return ended.getCount() == 0;
  }

  public void join(Duration patience) throws InterruptedException {
    boolean all = ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    AssertionError error = null;
    if (!all) {
      error = new AssertionError(ended.getCount() + " threads did not end within " + patience);
      for (Thread thread : threads) {
        error.addSuppressed(at(thread));
      }
    } else if (!failures.isEmpty()) {
      error = new AssertionError(failures.size() + " threads failed", failures.peek());
    }
    if (error != null) {
      throw error;
    }
  }

  private static Throwable at(Thread thread) {
    Throwable place = new Throwable(thread + " is here");
    place.setStackTrace(thread.getStackTrace());
    return place;
  }
}
