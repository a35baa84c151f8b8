package io.mortise.backend.lettuce;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * The timer of a client, on the JVM's own. Netty's would wake up ten times a second, for nothing
 * most of the time. For tasks that only hand over, as all of Lettuce do.
 */
final class StillTimer implements Timer {
  private volatile boolean stopped;

  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    CompletableFuture<?> time = new CompletableFuture<>().completeOnTimeout(null, delay, unit);
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

  /** Of a client that ends. No task runs any more: its threads are about to end too. */
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
