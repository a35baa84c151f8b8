package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;

import io.mortise.Registration;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The claims of a service that have not ended. While there are any, one timer beats, twenty times
 * per re-check period, and asks for all that are due.
 */
public final class LeaseRequests {
  private static final int BEATS_PER_CHECK = 20;

  private final Engine engine;
  private final Set<LeaseRequest> pending = ConcurrentHashMap.newKeySet();
  private final Set<Runnable> onClose = ConcurrentHashMap.newKeySet();
  private final Heartbeat beat;

  LeaseRequests(Engine engine) {
    this.engine = engine;
    Duration recheck = engine.settings().times().recheck();
    beat = new Heartbeat(engine, recheck.toNanos() / BEATS_PER_CHECK, this::look, this::areAny);
  }

  void add(LeaseRequest claim) {
    pending.add(claim);
    beat.start();
    if (!engine.takesWork()) {
      claim.close();
    }
  }

  void remove(LeaseRequest claim) {
    pending.remove(claim);
  }

  /** Whether a thread that waits for this is waiting for a lease of that lock. */
  boolean isWaitFor(Object blocker, LockKeys lock) {
    return pending.stream().anyMatch(claim -> claim.isWaitFor(blocker, lock));
  }

  /** Runs it when the service is closed; at once if it is. An object can be registered once. */
  public Registration onClose(Runnable task) {
    onClose.add(task);
    if (!engine.takesWork()) {
      task.run();
    }
    return () -> onClose.remove(task);
  }

  private boolean areAny() {
    return !pending.isEmpty();
  }

  private void look() {
    engine.outbox().send(pending.stream().filter(LeaseRequest::isDue).toList());
  }

  /** Ends all of them: the service is closed. */
  void close() {
    beat.close();
    List.copyOf(onClose).forEach(Runnable::run);
    Trampoline.step(() -> List.copyOf(pending).forEach(LeaseRequest::close));
  }
}
