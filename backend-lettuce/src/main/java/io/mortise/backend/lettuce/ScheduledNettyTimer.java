package io.mortise.backend.lettuce;

import io.mortise.backend.support.Timeouts;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A Netty timer on the thread of all timers. Netty's timer would wake up ten times a second, mostly
 * for nothing. It suits short tasks that give their work to another thread, as all of Lettuce's
 * tasks do.
 */
final class ScheduledNettyTimer implements Timer {
  private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    CompletableFuture<?> time = Timeouts.end(new CompletableFuture<>(), unit.toNanos(delay));
    Pending timeout = new Pending(this, task, time);
    pending.add(timeout);
    CompletableFuture<?> unused =
        time.whenComplete((done, e) -> pending.remove(timeout))
            .thenRun(
                new FutureTask<>(() -> {
                  if (!stopped) {
                    task.run(timeout);
                  }
                  return null;
                }));
    if (stopped) {
      timeout.cancel();
    }
    return timeout;
  }

  /**
   * Stops the timer when its client ends. No task runs any more, because the client's threads are
   * about to end too. What was scheduled is cancelled, so that nothing refers to the client.
   */
  @Override
  public Set<Timeout> stop() {
    stopped = true;
    pending.forEach(Timeout::cancel);
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
