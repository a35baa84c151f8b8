package io.mortise.internal.engine;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import io.mortise.Registration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies listeners. What they throw is logged and goes no further. Thread-safe. */
public final class LeaseEvents {
  private static final Logger log = LoggerFactory.getLogger(LeaseEvents.class);

  private final @Nullable LockListener listener;
  private final Map<String, List<Consumer<? super LeaseChange>>> byLock = new ConcurrentHashMap<>();
  private final Executor executor;
  private final @Nullable ThreadPoolExecutor owned;

  public LeaseEvents(@Nullable LockListener listener, @Nullable Executor executor) {
    this.listener = listener;
    if (executor == null) {
      owned = oneDaemonThread();
      this.executor = owned;
    } else {
      owned = null;
      this.executor = executor;
    }
  }

  /** One thread, which ends when it is idle. Listeners hear events in their order. */
  private static ThreadPoolExecutor oneDaemonThread() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            5,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "mortise-events");
              thread.setDaemon(true);
              return thread;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  public Registration add(String lockKey, Consumer<? super LeaseChange> listening) {
    Consumer<LeaseChange> consumer = listening::accept; // a new object for this registration
    byLock.compute(
        lockKey,
        (key, known) -> {
          List<Consumer<? super LeaseChange>> all =
              known == null ? new CopyOnWriteArrayList<>() : known;
          all.add(consumer);
          return all;
        });
    return () ->
        byLock.computeIfPresent(
            lockKey,
            (key, all) -> {
              all.remove(consumer);
              return all.isEmpty() ? null : all;
            });
  }

  /** A thread's hold begins. {@link #acquired(Hold, long, boolean)} reports it. Does not block. */
  void begins(Hold hold) {
    if (listener != null) {
      HoldEvents events = HoldEvents.beginning(hold.since());
      hold.setEvents(events);
      hold.acquisition().lease().setEvents(events);
    }
  }

  /** A lease begins. {@link #acquired(Acquisition, long)} reports it. Does not block. */
  void begins(Acquisition lease) {
    if (listener != null) {
      lease.lease().setEvents(HoldEvents.beginning(lease.lease().acquiredAt()));
    }
  }

  public void acquired(Hold hold, long waitedNanos, boolean remote) {
    HoldEvents events = hold.events();
    if (events != null) {
      began(events, hold.acquisition(), waitedNanos, remote);
    }
  }

  /** Reports the beginning of a lease, on the executor: the caller must not block. */
  public void acquired(Acquisition lease, long waitedNanos) {
    if (listener != null) {
      execute(() -> began(lease.lease().events(), lease, waitedNanos, true));
    }
  }

  private void began(HoldEvents events, Acquisition held, long waitedNanos, boolean remote) {
    events.began(tell(to -> to.acquired(held.keys().name(), waitedNanos, remote)));
  }

  public void released(Hold hold, long heldNanos) {
    released(hold.events(), hold.acquisition(), heldNanos);
  }

  public void released(Acquisition lease, long heldNanos) {
    released(listener == null ? null : lease.lease().events(), lease, heldNanos);
  }

  private void released(@Nullable HoldEvents events, Acquisition held, long heldNanos) {
    if (events != null && events.ends()) {
      events.post(tell(to -> to.released(held.keys().name(), heldNanos)));
    }
  }

  /** A call of the listener; nothing if there is none. */
  private Runnable tell(Consumer<LockListener> call) {
    LockListener notified = listener;
    return notified == null ? () -> {} : () -> Trampoline.guarded(() -> call.accept(notified));
  }

  void suspect(Acquisition acquisition, String reason, long now) {
    changed(acquisition, event(acquisition, LeaseState.SUSPECT, reason, now));
  }

  void recovered(Acquisition acquisition, long now) {
    changed(acquisition, event(acquisition, LeaseState.HELD, "renewed again", now));
  }

  /** The acquisition is lost, and with it the hold of its holder. */
  void lost(Acquisition acquisition, String reason, long now) {
    changed(acquisition, event(acquisition, LeaseState.LOST, reason, now));
    endsUnreleased(acquisition, reason, now);
  }

  /** Reports that a hold is over without a release, unless an end was reported before. */
  void endsUnreleased(Acquisition acquisition, String reason, long now) {
    HoldEvents events = acquisition.lease().events();
    if (listener != null && events.ends()) {
      long heldNanos = now - events.since();
      events.post(this::execute, tell(to -> to.lost(acquisition.keys().name(), heldNanos, reason)));
    }
  }

  private static LeaseChange event(
      Acquisition acquisition, LeaseState state, String reason, long now) {
    Duration remaining =
        state == LeaseState.LOST
            ? Duration.ZERO
            : Duration.ofNanos(acquisition.lease().remaining(now));
    return new LeaseChange(acquisition.keys().name(), state, acquisition.id(), remaining, reason);
  }

  /**
   * Posts a change. The caller may be any thread, also a client's I/O thread, so even the log is
   * written on the executor.
   */
  private void changed(Acquisition acquisition, LeaseChange event) {
    acquisition
        .lease()
        .events()
        .post(
            this::submit,
            () -> {
              if (acquisition.lease().reports(event.state())) {
                tell(acquisition.keys().lock(), event);
                acquisition.owner().onLeaseChange(event);
              }
            });
  }

  /**
   * Runs code of the application: on the executor, or on the calling thread if the executor rejects
   * it.
   */
  public void execute(Runnable task) {
    try {
      submit(task);
    } catch (RejectedExecutionException e) {
      Trampoline.callback(task);
    }
  }

  private void submit(Runnable task) {
    executor.execute(() -> Trampoline.callback(task));
  }

  private void tell(String lockKey, LeaseChange event) {
    switch (event.state()) {
      case SUSPECT -> log.warn("renewal failed and is tried again: {}", event);
      case LOST -> log.warn("lease lost: {}", event);
      default -> log.info("lease safe again: {}", event);
    }
    if (listener != null) {
      Trampoline.guarded(() -> listener.leaseChanged(event));
    }
    byLock
        .getOrDefault(lockKey, List.of())
        .forEach(consumer -> Trampoline.guarded(() -> consumer.accept(event)));
  }

  void close() {
    if (owned != null) {
      owned.shutdown();
    }
  }
}
