package io.mortise.backend.lettuce;

import io.mortise.spi.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * System time that parks none of a client's threads: neither those that read replies and messages,
 * nor those that connect again. A thread of the first kind may read another connection now, and
 * after a reconnect that of the backend. So all of them are refused, and a call does not depend on
 * chance. Thread-safe.
 */
final class LoopTime implements TimeSource {
  private final Set<EventExecutorGroup> groups = ConcurrentHashMap.newKeySet();

  /** A group whose threads the client uses. */
  void add(EventExecutorGroup group) {
    groups.add(group);
  }

  @Override
  public void checkMayPark() {
    for (EventExecutorGroup group : groups) {
      for (EventExecutor each : group) {
        if (each.inEventLoop()) {
          throw new IllegalStateException(
              "the thread %s must not wait here: the Lettuce client needs it to receive replies; use async(), a method whose name ends in Async, or another thread"
                  .formatted(Thread.currentThread().getName()));
        }
      }
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return TimeSource.system().currentTimeMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    TimeSource.system().parkNanos(blocker, nanos);
  }

  @Override
  public void unpark(Thread thread) {
    TimeSource.system().unpark(thread);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return TimeSource.system().schedule(task, delay);
  }
}
