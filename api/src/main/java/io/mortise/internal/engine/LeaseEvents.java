package io.mortise.internal.engine;

import io.mortise.Deadlock;
import io.mortise.HoldInfo;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockListener;
import io.mortise.LossCause;
import io.mortise.Registration;
import io.mortise.WaitInfo;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.Callbacks;
import io.mortise.internal.told.FlightRecording;
import io.mortise.internal.told.Listeners;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies listeners. What they throw is logged and goes no further. Thread-safe. */
public final class LeaseEvents {
  /** Listens to a lock as to a member of others. */
  public interface MemberListener {
    /**
     * The lease of a hold has changed.
     *
     * @param whole as {@link Acquisition.Grant#whole}
     */
    void changed(LeaseChange event, @Nullable Object whole);
  }

  private static final Logger log = LoggerFactory.getLogger(LeaseEvents.class);

  private final Listeners listeners;
  private final AttemptEvents attempts;
  private final Map<String, List<MemberListener>> byLock = new ConcurrentHashMap<>();
  private final Callbacks callbacks;
  private Runnable unfollow = () -> {};

  public LeaseEvents(List<LockListener> listeners, @Nullable Executor executor) {
    this.listeners = new Listeners(listeners, FlightRecording.find());
    callbacks = new Callbacks(executor);
    attempts = new AttemptEvents(this.listeners, callbacks);
  }

  /** The events of attempts and holds. */
  public AttemptEvents attempts() {
    return attempts;
  }

  /** Flight recordings show from now on what is held, and what waits. Called once. */
  void follow(Supplier<List<HoldInfo>> holds, Supplier<List<WaitInfo>> waits) {
    FlightRecording recording = listeners.recording();
    if (recording != null) {
      unfollow = recording.follow(holds, waits);
    }
  }

  public Registration add(String lockKey, Consumer<? super LeaseChange> listening) {
    return addOfMember(lockKey, (event, whole) -> listening.accept(event));
  }

  /** As {@link #add}. The listener also hears of what the hold is a part of. */
  public Registration addOfMember(String lockKey, MemberListener listening) {
    MemberListener consumer = listening::changed; // a new object for this registration
    byLock.compute(
        lockKey,
        (key, known) -> {
          List<MemberListener> all = known == null ? new CopyOnWriteArrayList<>() : known;
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

  void suspect(Acquisition acquisition, String reason, long now) {
    changed(acquisition, LeaseState.SUSPECT, remaining(acquisition, now), null, reason);
  }

  void recovered(Acquisition acquisition, long now) {
    Duration remaining = remaining(acquisition, now);
    changed(acquisition, LeaseState.HELD, remaining, null, "renewed again");
  }

  private static Duration remaining(Acquisition acquisition, long now) {
    return Duration.ofNanos(acquisition.lease().remaining(now));
  }

  /** The acquisition is lost, and with it the hold of its holder. */
  void lost(Acquisition acquisition, Loss loss, long now) {
    changed(acquisition, LeaseState.LOST, Duration.ZERO, loss.cause(), loss.reason());
    attempts.endsUnreleased(acquisition, loss, now);
  }

  /**
   * Posts a change. The caller may be any thread, also a client's I/O thread, so even the log is
   * written on the executor.
   */
  private void changed(
      Acquisition acquisition,
      LeaseState state,
      Duration remaining,
      @Nullable LossCause cause,
      String reason) {
    String name = acquisition.keys().name();
    Optional<LossCause> why = Optional.ofNullable(cause);
    LeaseChange event = new LeaseChange(name, state, acquisition.id(), remaining, why, reason);
    acquisition
        .lease()
        .events()
        .post(
            callbacks::execute,
            () -> {
              if (acquisition.reports(state)) {
                tell(acquisition, event);
                acquisition.grant().onLeaseChange(event);
              }
            });
  }

  /** Threads wait for each other. The log is written on the executor too. */
  void deadlocked(Deadlock deadlock) {
    callbacks.execute(() -> {
      log.warn(
          "{}\ntake the locks in one order, or together by a MultiLock (docs/deadlocks.md)",
          deadlock);
      listeners.tellRare(to -> to.deadlocked(deadlock));
    });
  }

  /** A command that renews leases is on its way. */
  Renewing renewing(int holds, long sentAt) {
    return new Renewing(holds, sentAt);
  }

  /** One command that renews leases. */
  final class Renewing {
    private final int holds;
    private final long sentAt;
    private final @Nullable Object recorded;

    private Renewing(int holds, long sentAt) {
      this.holds = holds;
      this.sentAt = sentAt;
      FlightRecording recording = listeners.recording();
      recorded = recording == null ? null : recording.beginRenewal();
    }

    /** It was answered, or failed. Called on any thread. */
    void ended(boolean ok, long now) {
      FlightRecording recording = listeners.recording();
      if (recording != null) {
        recording.endRenewal(recorded, holds, ok);
      }
      if (listeners.areGiven()) {
        callbacks.execute(() -> listeners.tell(to -> to.renewed(holds, now - sentAt, ok)));
      }
    }
  }

  /** Runs code of the application on the executor; on a thread of this library if that fails. */
  public void execute(Runnable task) {
    callbacks.execute(task);
  }

  private void tell(Acquisition acquisition, LeaseChange event) {
    switch (event.state()) {
      case SUSPECT -> log.warn("renewal failed and is tried again: {}", event);
      case LOST -> log.warn("lease lost: {}", event);
      default -> log.info("lease safe again: {}", event);
    }
    listeners.tellRare(to -> to.leaseChanged(event));
    Object whole = acquisition.grant().whole();
    byLock
        .getOrDefault(acquisition.keys().lock(), List.of())
        .forEach(consumer -> Trampoline.guarded(() -> consumer.changed(event, whole)));
  }

  void close() {
    unfollow.run();
    callbacks.close();
  }
}
