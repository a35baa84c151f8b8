package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The gates of the locks and semaphores of which a service uses leases. An unused one has none.
 * Thread-safe.
 */
final class LeaseGates {
  private final Store store;
  private final Releases releases;
  private final Map<String, LeaseGate> byLock = new ConcurrentHashMap<>();

  LeaseGates(Store store, Releases releases) {
    this.store = store;
    this.releases = releases;
  }

  /** The gate of a new request; null if its lease is never passed on. */
  @Nullable LeaseGate enter(Wanted wanted) {
    LockKind kind = wanted.keys().kind();
    if (!(kind == LockKind.SEMAPHORE || isPlain(wanted))
        || store.options().mostHandOffs(kind) == 0
        || !wanted.terms().equals(store.defaultLease())) {
      return null;
    }
    return byLock.compute(
        wanted.keys().lock(),
        (lock, known) -> {
          LeaseGate gate = known == null ? new LeaseGate(store, releases) : known;
          gate.enter(); // in here, so that it is not removed before
          return gate;
        });
  }

  /** A member of a lock of several has one command at a known time, and keeps its turn. */
  private boolean isPlain(Wanted wanted) {
    return wanted.keys().kind() == LockKind.PLAIN && !wanted.member();
  }

  /** The gate of a lease that may be passed on now; null if there is none. */
  @Nullable LeaseGate find(LockKeys keys) {
    return byLock.get(keys.lock());
  }

  boolean areAny() {
    return !byLock.isEmpty();
  }

  /** Forgets the gates that no request uses, and whose leases are not passed on any more. */
  void removeIdle() {
    for (String lock : byLock.keySet()) {
      byLock.computeIfPresent(lock, (key, gate) -> gate.isIdle() ? null : gate);
    }
  }
}
