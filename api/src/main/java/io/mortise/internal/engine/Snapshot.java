package io.mortise.internal.engine;

import io.mortise.HoldInfo;
import io.mortise.LeaseState;
import io.mortise.LockHolder;
import io.mortise.WaitInfo;
import io.mortise.internal.engine.Acquisition.Grant.Holder;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.AcquisitionId.Mark;
import io.mortise.internal.wire.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a service holds, and what waits in it, at this moment. It is read from the tables by which
 * the engine itself works, and never counted. Each lock is looked at by itself, so two locks may be
 * seen at slightly different moments. Thread-safe.
 */
public final class Snapshot {
  /** An attempt that waits, and the lock's queue in the store. */
  private record Waiting(String queue, WaitInfo info) {}

  /** What the store has in place of a token. No token is so small: they begin at the time. */
  private static final long NO_TOKEN = 1;

  private final Store store;
  private final Acquisitions acquisitions;
  private final Gates gates;
  private final LeaseRequests requests;

  Snapshot(Store store, Acquisitions acquisitions, Gates gates, LeaseRequests requests) {
    this.store = store;
    this.acquisitions = acquisitions;
    this.gates = gates;
    this.requests = requests;
  }

  /** All holds, the oldest first; none if the service is closed. */
  public List<HoldInfo> holds() {
    if (store.isClosed()) {
      return List.of();
    }
    Map<String, Integer> waiting = new HashMap<>();
    waiting().forEach(each -> waiting.merge(each.queue, 1, Integer::sum));
    List<HoldInfo> holds = new ArrayList<>();
    for (Acquisition each : acquisitions.all()) {
      int waitingHere = waiting.getOrDefault(each.keys().queue(), 0);
      if (each.lease().isHeld()) {
        each.grant().holders(each).forEach(one -> holds.add(info(each, one, waitingHere)));
      }
    }
    holds.removeIf(each -> each.state() == LeaseState.RELEASED); // it ended while it was read
    holds.sort((one, other) -> other.heldFor().compareTo(one.heldFor()));
    return holds;
  }

  private HoldInfo info(Acquisition held, Holder holder, int waitingHere) {
    long now = store.now();
    LeaseState state = held.lease().state(now);
    return new HoldInfo(
        held.keys().name(),
        held.keys().kind().told(),
        held.id(),
        Optional.ofNullable(holder.thread()).map(Thread::getName),
        Duration.ofNanos(now - holder.since()),
        Duration.ofNanos(held.lease().remaining(now)),
        state,
        held.lease().terms().renewed() && holder.gone() == null,
        holder.levels(),
        waitingHere);
  }

  /** The holder of a lock as the store has told it, with what this service knows of it. */
  public LockHolder holder(LockKeys keys, List<Object> told) {
    String id = (String) told.get(2);
    AcquisitionId parts = AcquisitionId.read(id);
    Optional<Hold> here =
        gates.holdsOf(keys).filter(hold -> hold.acquisition().id().equals(id)).findFirst();
    long token = here.map(Hold::token).orElseGet(() -> storedToken(id, parts, told));
    return new LockHolder(
        id,
        parts.client(),
        parts.host(),
        parts.pid(),
        parts.threadId(),
        Duration.ofMillis((Long) told.get(1)),
        Math.toIntExact((Long) told.get(3)),
        here.map(hold -> hold.thread().getName()),
        here.map(hold -> Duration.ofNanos(store.now() - hold.since())),
        token > NO_TOKEN ? OptionalLong.of(token) : OptionalLong.empty());
  }

  /** What stands at an id is a token only where nobody is asked for and nobody counts. */
  private static long storedToken(String id, AcquisitionId parts, List<Object> told) {
    boolean other = told.size() < 5 || parts.pid() < 0 || Mark.isHeard(id);
    return other ? NO_TOKEN : (Long) told.get(4);
  }

  /** All attempts that wait, the oldest first. */
  public List<WaitInfo> waits() {
    return waiting().stream()
        .map(Waiting::info)
        .sorted((one, other) -> other.waitingFor().compareTo(one.waitingFor()))
        .toList();
  }

  private List<Waiting> waiting() {
    List<Waiting> waiting = new ArrayList<>();
    for (Gate gate : gates.all()) {
      for (Waiter each : gate.waiting()) {
        waiting.add(waiting(gate.keys(), each.thread(), each.start()));
      }
    }
    for (LeaseRequest each : requests.all()) {
      Long since = each.waitingSince();
      if (since != null) {
        waiting.add(waiting(each.keys(), null, since));
      }
    }
    return waiting;
  }

  private Waiting waiting(LockKeys keys, @Nullable Thread thread, long since) {
    WaitInfo info =
        new WaitInfo(
            keys.name(),
            keys.kind().told(),
            Optional.ofNullable(thread).map(Thread::getName),
            Duration.ofNanos(store.now() - since));
    return new Waiting(keys.queue(), info);
  }
}
