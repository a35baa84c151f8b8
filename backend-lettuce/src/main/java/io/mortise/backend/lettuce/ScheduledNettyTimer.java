package io.mortise.backend.lettuce;

import io.mortise.backend.support.Timeouts;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A Netty timer on the thread of all timers. Netty's timer would wake up ten times a second, mostly
 * for nothing. It suits short tasks that give their work to another thread, as all of Lettuce's
 * tasks do.
 */
final class ScheduledNettyTimer implements Timer {
  private volatile boolean stopped;

  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    CompletableFuture<?> time = Timeouts.end(new CompletableFuture<>(), unit.toNanos(delay));
    Pending pending = new Pending(this, task, time);
    CompletableFuture<?> unused =
        time.thenRun(
            new FutureTask<>(() -> {
              if (!stopped) {
                task.run(pending);
              }
              return null;
            }));
    return pending;
  }

  /**
   * Stops the timer when its client ends. No task runs any more, because the client's threads are
   * about to end too.
   */
  @Override
  public Set<Timeout> stop() {
    stopped = true;
    return Set.of();
  }

  private record Pending(Timer timer, TimerTask task, CompletableFuture<?> time)
      implements Timeout {
    @Override
    public boolean isExpired() {
      return time.isDone() && !time.isCancelled();
    }

    @Override
    public boolean isCancelled() {
      return time.isCancelled();
    }

    @Override
    public boolean cancel() {
      return time.cancel(false);
    }
  }
}
