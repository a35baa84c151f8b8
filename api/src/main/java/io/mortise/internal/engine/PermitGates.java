package io.mortise.internal.engine;

import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The gates of the semaphores that a service uses. An unused semaphore has none. Thread-safe. */
final class PermitGates {
  private final Store store;
  private final Map<String, PermitGate> byLock = new ConcurrentHashMap<>();

  PermitGates(Store store) {
    this.store = store;
  }

  /** The gate of a new request; null if its permits are never passed on. */
  @Nullable PermitGate enter(LockKeys keys, LeaseTerms wanted) {
    if (keys.kind() != LockKind.SEMAPHORE
        || store.options().mostHandOffs(LockKind.SEMAPHORE) == 0
        || !wanted.equals(store.defaultLease())) {
      return null;
    }
    return byLock.compute(
        keys.lock(),
        (lock, known) -> {
          PermitGate gate = known == null ? new PermitGate(store) : known;
          gate.enter(); // in here, so that it is not removed before
          return gate;
        });
  }

  boolean areAny() {
    return !byLock.isEmpty();
  }

  /** Forgets the gates that no request uses, and whose permits are not passed on any more. */
  void removeIdle() {
    for (String lock : byLock.keySet()) {
      byLock.computeIfPresent(lock, (key, gate) -> gate.isIdle() ? null : gate);
    }
  }
}
