package io.mortise.internal.lock;

import io.mortise.LockStatus;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.Store;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.NamePattern;
import io.mortise.internal.wire.SlotKeys;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Finds the locks that are held in a store. If only a pattern of their names is known, it walks
 * through the keys of each master by a cursor, in many short calls, and asks for the status of each
 * lock whose name fits. In a cluster, a key in a slot of the master leads each call to it.
 */
record LockFinder(Store store) {
  private static final String FIRST = "0";
  private static final String WALK = "locks were looked for, which needs the permission +scan";

  /** How many locks are asked for at the same time. */
  private static final int AT_ONCE = 25;

  /** Returns locks that are held and fit, in no order, at most so many. */
  List<LockStatus> find(NamePattern names, int limit) {
    List<LockStatus> found = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String route : routes()) {
      String cursor = FIRST;
      do {
        List<Object> page = execute(store.scripts().list(route, cursor));
        look(fitting((List<?>) page.get(1), names, seen), limit, found, WALK);
        cursor = (String) page.get(0);
      } while (!cursor.equals(FIRST) && found.size() < limit);
    }
    return found;
  }

  /** Returns those of the locks that are held, in their order. Their keys say where to look. */
  List<LockStatus> held(List<LockKeys> locks) {
    List<LockStatus> found = new ArrayList<>();
    look(locks, locks.size(), found, locks.get(0).text() + " was looked at");
    return found;
  }

  /** A key for each master, which leads a call to it. */
  private Iterable<String> routes() {
    String prefix = store.options().keyPrefix();
    if (store.backend().info().topology() != Topology.CLUSTER) {
      return List.of(prefix);
    }
    List<Object> ranges = execute(store.scripts().masters());
    Map<String, String> byMaster = new HashMap<>();
    for (int i = 0; i < ranges.size(); i += 3) {
      String route = SlotKeys.keyIn(prefix, (Long) ranges.get(i), (Long) ranges.get(i + 1));
      byMaster.putIfAbsent((String) ranges.get(i + 2), route);
    }
    return byMaster.values();
  }

  /** The locks of these keys that fit and were not seen before. */
  private List<LockKeys> fitting(List<?> keys, NamePattern names, Set<String> seen) {
    List<LockKeys> fitting = new ArrayList<>();
    for (Object key : keys) {
      LockKeys lock = LockKeys.ofHolds(store.options().keyPrefix(), (String) key);
      if (lock != null && names.matches(lock.name()) && seen.add(lock.lock())) {
        fitting.add(lock);
      }
    }
    return fitting;
  }

  /** Adds the status of those that are held. */
  private void look(List<LockKeys> locks, int limit, List<LockStatus> found, String what) {
    store.time().checkMayPark();
    for (int from = 0; from < locks.size() && found.size() < limit; from += AT_ONCE) {
      List<LockKeys> some = locks.subList(from, Math.min(locks.size(), from + AT_ONCE));
      List<CompletableFuture<List<Object>>> replies =
          store.backend().executeAll(some.stream().map(store.scripts()::status).toList());
      for (int i = 0; i < some.size(); i++) {
        CompletableFuture<List<Object>> reply = replies.get(i);
        List<Object> status = answer(() -> Futures.join(reply, store.time()), what);
        if (status.get(0).equals("HELD") && found.size() < limit) {
          found.add(status(some.get(i), status));
        }
      }
    }
  }

  private static LockStatus status(LockKeys keys, List<Object> reply) {
    long micros = (Long) reply.get(1);
    List<?> held = (List<?>) reply.get(2);
    List<?> waiting = (List<?>) reply.get(3);
    List<LockStatus.Holder> holders = new ArrayList<>();
    for (int i = 0; i < held.size(); i += 2) {
      holders.add(holder((String) held.get(i), (Long) held.get(i + 1)));
    }
    List<LockStatus.Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < waiting.size(); i += 2) {
      waiters.add(waiter((String) waiting.get(i), micros - (Long) waiting.get(i + 1)));
    }
    return new LockStatus(
        keys.name(), keys.kind().told(), holders.get(0).leaseLeft(), holders, waiters);
  }

  private static LockStatus.Holder holder(String id, long millis) {
    AcquisitionId parts = AcquisitionId.read(id);
    return new LockStatus.Holder(
        id, parts.client(), parts.host(), parts.pid(), parts.threadId(), Duration.ofMillis(millis));
  }

  private static LockStatus.Waiter waiter(String id, long micros) {
    AcquisitionId parts = AcquisitionId.read(id);
    return new LockStatus.Waiter(
        id,
        parts.client(),
        parts.host(),
        parts.pid(),
        parts.threadId(),
        Duration.of(Math.max(0, micros), ChronoUnit.MICROS));
  }

  private List<Object> execute(ScriptCall call) {
    return answer(() -> store.backend().execute(call), WALK);
  }

  private List<Object> answer(Supplier<List<Object>> reply, String what) {
    try {
      return reply.get();
    } catch (BackendException e) {
      throw store.failure(e, what);
    }
  }
}
