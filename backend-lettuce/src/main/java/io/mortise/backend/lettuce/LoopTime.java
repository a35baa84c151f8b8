package io.mortise.backend.lettuce;

import io.mortise.spi.ForwardingTime;
import io.mortise.spi.TimeSource;
import io.mortise.spi.internal.Shown;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * System time that parks none of a client's threads: neither those that read replies and messages,
 * nor those that connect again. A thread of the first kind may read another connection now, and
 * after a reconnect that of the backend. So all of them are refused, and a call does not depend on
 * chance. Thread-safe.
 */
final class LoopTime extends ForwardingTime {
  /** A thread each. An iteration over Netty's groups would make objects in each call. */
  private final CopyOnWriteArrayList<EventExecutor> executors = new CopyOnWriteArrayList<>();

  /** A group whose threads the client uses. */
  void add(EventExecutorGroup group) {
    group.forEach(executors::addIfAbsent);
  }

  @Override
  protected TimeSource target() {
    return TimeSource.system();
  }

  @Override
  public void checkMayPark() {
    for (EventExecutor each : executors) {
      if (each.inEventLoop()) {
        throw new IllegalStateException(
            "the thread %s must not wait here: the Lettuce client needs it to receive replies; use async(), a method whose name ends in Async, or another thread"
                .formatted(Shown.thisThread()));
      }
    }
  }
}
