package io.mortise.backend.lettuce;

import io.mortise.backend.support.Timeouts;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Netty timer on the thread of all timers. Netty's timer would wake up ten times a second, mostly
 * for nothing. It suits short tasks that give their work to another thread, as all of Lettuce's
 * tasks do.
 *
 * <p>A task that throws runs again each second. It has not given its work away, for example because
 * the other thread could not be made, and Lettuce does not notice that.
 */
final class ScheduledNettyTimer implements Timer {
  private static final Logger LOG = LoggerFactory.getLogger(ScheduledNettyTimer.class);
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private final Set<Pending> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;

  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    Pending timeout = new Pending(task);
    timeout.begin(unit.toNanos(delay), true);
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

  private final class Pending implements Timeout {
    private final TimerTask task;
    private volatile @Nullable CompletableFuture<?> time;
    private volatile boolean cancelled;

    Pending(TimerTask task) {
      this.task = task;
    }

    void begin(long nanos, boolean first) {
      CompletableFuture<?> end = new CompletableFuture<>();
      time = end;
      pending.add(this);
      CompletableFuture<?> unused =
          end.whenComplete((done, e) -> pending.remove(this)).thenRun(() -> run(first));
      if (stopped || cancelled) {
        cancel();
      }
      CompletableFuture<?> unusedToo = Timeouts.end(end, nanos);
    }

    private void run(boolean first) {
      if (stopped) {
        return;
      }
      try {
        task.run(this);
      } catch (Exception | Error e) {
        if (first) {
          LOG.warn("a task of Lettuce could not run; trying again", e);
        }
        begin(PAUSE, false);
      }
    }

    @Override
    public Timer timer() {
      return ScheduledNettyTimer.this;
    }

    @Override
    public TimerTask task() {
      return task;
    }

    @Override
    public boolean isExpired() {
      CompletableFuture<?> now = time;
      return now != null && now.isDone() && !now.isCancelled();
    }

    @Override
    public boolean isCancelled() {
      return cancelled;
    }

    @Override
    public boolean cancel() {
      CompletableFuture<?> now = time;
      boolean mine = now != null && now.cancel(false);
      if (mine) {
        cancelled = true;
      }
      return mine;
    }
  }
}
