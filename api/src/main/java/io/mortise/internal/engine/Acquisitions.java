package io.mortise.internal.engine;

import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The acquisitions of a service by their ids, from before the first command of each until after its
 * last. A lock that nobody uses has none. Thread-safe.
 */
final class Acquisitions {
  private final Store store;
  private final RedissonChannels redissonChannels;
  private final Map<String, Acquisition> byId = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();

  Acquisitions(Store store, RedissonChannels redissonChannels) {
    this.store = store;
    this.redissonChannels = redissonChannels;
  }

  /** An id that was never used, of a step that takes no lock. */
  String newStepId(long threadId) {
    return AcquisitionId.step(store.clientId(), sequence.incrementAndGet(), threadId);
  }

  /**
   * An acquisition with a new id.
   *
   * @param own whether nobody else, with another lease, may take it over
   */
  Acquisition create(Acquisition.Owner owner, long threadId, LeaseTerms lease, boolean own) {
    LockKeys keys = owner.keys();
    // A release grants the service's lease, so nobody with another one may take it over.
    boolean granting =
        own && keys.kind().mayBeGrantedInReply() && lease.equals(store.defaultLease());
    String id =
        AcquisitionId.create(
            store.clientId(), sequence.incrementAndGet(), threadId, keys, granting);
    Acquisition acquisition = new Acquisition(owner, id, lease);
    byId.put(id, acquisition);
    return acquisition;
  }

  @Nullable Acquisition find(String id) {
    return byId.get(id);
  }

  Collection<Acquisition> all() {
    return byId.values();
  }

  /** Not under a monitor: it may wait for a listener of a lock shared with Redisson. */
  void forget(Acquisition acquisition) {
    acquisition.setForgotten();
    byId.remove(acquisition.id());
    redissonChannels.ended(acquisition);
    store.phase().ended();
  }

  /** Lets all acquisitions ask that wait for a lock: they may hold it without knowing it. */
  void askAgain(LockKeys keys) {
    for (Acquisition acquisition : byId.values()) {
      if (!acquisition.lease().isHeld() && acquisition.keys().queue().equals(keys.queue())) {
        acquisition.signal();
      }
    }
  }

  /** Lets all ask that wait for anything: their messages may have been lost. */
  void askAgain() {
    for (Acquisition acquisition : byId.values()) {
      if (!acquisition.lease().isHeld()) {
        acquisition.signal();
      }
    }
  }

  /**
   * An id held a lock when somebody forced it open. A message says so, and if it was this service,
   * the reply before it; each on its own, in any order, and however late.
   */
  void revoked(String id) {
    Acquisition acquisition = byId.get(id);
    if (acquisition == null) {
      return; // of another service, or over
    }
    acquisition.revoke(); // before: an answer that comes now is either too late, or ended here
    if (!acquisition.owner().lose(acquisition, "somebody forced the lock open")) {
      acquisition.signal();
    }
  }
}
