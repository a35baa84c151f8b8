package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The gates of the readers of a service, by lock, and which locks its writers wait for. A lock that
 * no thread reads has none. Thread-safe.
 */
final class ReadGates implements ReadGate.Home {
  private final Parts parts;
  private final Map<String, ReadGate> byQueue = new ConcurrentHashMap<>();

  /** How many threads of this service wait to write, by the queue of their lock. */
  private final Map<String, Integer> writers = new ConcurrentHashMap<>();

  ReadGates(Parts parts) {
    this.parts = parts;
  }

  /** Whether a thread may hold by an acquisition of another, and another by its own. */
  boolean share(Waiter waiter) {
    return waiter.mayShare()
        && waiter.lease().mayBeHandedOff()
        && parts.store().options().mostHandOffs(LockKind.READ) > 0;
  }

  Collection<ReadGate> all() {
    return byQueue.values();
  }

  ReadGate of(LockKeys keys) {
    ReadGate known = byQueue.get(keys.queue());
    return known == null
        ? byQueue.computeIfAbsent(keys.queue(), queue -> new ReadGate(parts, this, keys))
        : known;
  }

  /**
   * What has the hold of a thread that asks at a gate of its own: a share, or that gate's grant.
   */
  Acquisition.Grant grantFor(Waiter waiter, Gate own) {
    ReadGate gate = waiter.mayShare() ? byQueue.get(own.keys().queue()) : null;
    Acquisition.Grant share = gate == null ? null : gate.newShare(waiter);
    return share == null ? own.grant() : share;
  }

  /** A thread's shared hold of a read lock; null if it has none. */
  @Nullable Hold holdOf(LockKeys keys, long threadId) {
    ReadGate gate = keys.kind() == LockKind.READ ? byQueue.get(keys.queue()) : null;
    return gate == null ? null : gate.hold(threadId);
  }

  @Override
  public void retire(ReadGate gate) {
    byQueue.remove(gate.keys().queue(), gate);
  }

  /** A thread begins to wait in the queue of its lock. */
  void waits(LockKeys keys, Waiter waiter) {
    if (keys.kind() == LockKind.WRITE) {
      writers.merge(keys.queue(), 1, Integer::sum); // first: a share that opens now sees it
    }
    ReadGate gate = byQueue.get(keys.queue());
    if (gate != null && keys.kind() == LockKind.WRITE) {
      gate.stopSharing();
    } else if (gate != null) {
      gate.answered(waiter);
    }
  }

  /** A thread for which {@link #waits} was called waits no more. */
  void waitsNoMore(LockKeys keys) {
    if (keys.kind() == LockKind.WRITE) {
      writers.computeIfPresent(keys.queue(), (queue, count) -> count == 1 ? null : count - 1);
    }
  }

  @Override
  public boolean writerWaits(LockKeys keys) {
    return writers.containsKey(keys.queue());
  }
}
