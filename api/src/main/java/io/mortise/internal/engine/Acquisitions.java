package io.mortise.internal.engine;

import io.mortise.LossCause;
import io.mortise.internal.engine.Acquisition.Asker;
import io.mortise.internal.engine.Acquisition.Grant;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.AcquisitionId.Mark;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The acquisitions of a service by their ids, from before the first command of each until after its
 * last. A lock that is not in use has none. Thread-safe.
 */
final class Acquisitions {
  private static final Duration TOGETHER = Duration.ofMillis(10);
  private static final Loss FORCED = new Loss(LossCause.FORCED, "somebody forced the lock open");

  private final Store store;
  private final String client;
  private final RedissonChannels redissonChannels;
  private final Map<String, Acquisition> byId = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();

  /** The queues of the locks whose waiters are to ask, and whether a look for them is due. */
  private final Set<String> askedFor = ConcurrentHashMap.newKeySet();

  private final AtomicBoolean looking = new AtomicBoolean();

  Acquisitions(Store store, RedissonChannels redissonChannels) {
    this.store = store;
    client = store.clientId().text();
    this.redissonChannels = redissonChannels;
  }

  /** A new id for a step that takes no lock. */
  String newStepId(long threadId) {
    return AcquisitionId.step(client, sequence.incrementAndGet(), threadId);
  }

  /**
   * An acquisition with a new id.
   *
   * @param asker what asks the store for it
   * @param grant what will have the hold
   * @param own whether no thread with another lease may take it over
   */
  Acquisition create(Asker asker, Grant grant, long threadId, LeaseTerms lease, boolean own) {
    LockKeys keys = asker.keys();
    // A release grants the service's default lease, so no thread with another lease may take it
    // over. It does not wait for replicas.
    boolean granting =
        own
            && keys.kind().mayBeGrantedInReply()
            && lease.equals(store.defaultLease())
            && store.replicaAcks() == null;
    return create(asker, grant, threadId, lease, granting ? Mark.GRANTED_IN_REPLY : Mark.NONE);
  }

  /** As {@link #create}, for threads of one gate, which take it over from each other. */
  Acquisition createShared(Asker gate, Grant grant, long threadId, LeaseTerms lease) {
    boolean stays = gate.keys().kind() == LockKind.PLAIN && lease.mayBeHandedOff();
    Mark mark = store.retain() > 0 ? Mark.RETAINED : Mark.HANDED_OFF;
    boolean never = store.retain() == 0 && store.options().handOffLimit() == 0;
    return create(gate, grant, threadId, lease, stays && !never ? mark : Mark.NONE);
  }

  private Acquisition create(Asker asker, Grant grant, long threadId, LeaseTerms lease, Mark mark) {
    long number = sequence.incrementAndGet();
    String id = AcquisitionId.create(client, number, threadId, asker.keys(), mark);
    Acquisition acquisition = new Acquisition(asker, grant, id, lease, store.steps());
    byId.put(id, acquisition);
    return acquisition;
  }

  @Nullable Acquisition find(String id) {
    return byId.get(id);
  }

  Collection<Acquisition> all() {
    return byId.values();
  }

  /**
   * Forgets an acquisition that is over. Never call it under a monitor: it may wait for a channel
   * listener of a lock that is shared with Redisson.
   */
  void forget(Acquisition acquisition) {
    acquisition.setForgotten();
    byId.remove(acquisition.id());
    redissonChannels.ended(acquisition);
    store.phase().ended();
  }

  /**
   * Makes all acquisitions that wait for a lock ask the store soon: they may hold it without
   * knowing it. It looks through all acquisitions, so it does that once for all locks that come
   * together.
   */
  void askAgain(LockKeys keys) {
    if (askedFor.add(keys.queue()) && looking.compareAndSet(false, true)) {
      try {
        store.time().schedule(this::askForAll, TOGETHER);
      } catch (Throwable e) { // an Error too: nothing would look any more
        askForAll();
      }
    }
  }

  private void askForAll() {
    looking.set(false); // first: a lock that comes from now on has a look of its own
    Set<String> queues = Set.copyOf(askedFor);
    askedFor.removeAll(queues);
    byId.values().stream()
        .filter(each -> !each.lease().isHeld() && queues.contains(each.keys().queue()))
        .forEach(Acquisition::signal);
  }

  boolean isAnyHeld() {
    return byId.values().stream().anyMatch(each -> each.lease().isHeld());
  }

  /** Messages may have been lost. Tells all grants, also of what is asked for at the moment. */
  void missedMessages() {
    byId.values().forEach(each -> each.grant().missedMessages());
  }

  /** Makes all acquisitions that wait ask the store: their messages may have been lost. */
  void askAgain() {
    for (Acquisition acquisition : byId.values()) {
      if (!acquisition.lease().isHeld()) {
        acquisition.signal();
      }
    }
  }

  /** Another request wants the lock that an id holds or may hold. It may be over. */
  void wanted(String id) {
    Acquisition acquisition = byId.get(id);
    if (acquisition != null) {
      acquisition.grant().wanted(acquisition);
    }
  }

  /**
   * An id held a lock when a force unlock ended its hold. A message says so. The reply to the force
   * unlock says so too, if it was sent by this service. Each of them may come alone, in any order,
   * and late.
   */
  void revoked(String id) {
    Acquisition acquisition = byId.get(id);
    if (acquisition == null) {
      return; // of another service, or over
    }
    acquisition.revoke(); // first: so a reply that comes now is refused or lost
    if (!acquisition.lose(FORCED)) {
      acquisition.signal();
    }
  }
}
