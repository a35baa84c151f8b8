package io.mortise.internal.engine;

import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** A store in memory with the clock of a schedule. It runs the real scripts. */
final class ExploredStore {
  private static final Duration LONGER_THAN_ANY_KEY = Duration.ofDays(20);

  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final Schedule schedule;
  private long moved;

  ExploredStore(Schedule schedule) {
    this.schedule = schedule;
  }

  LockBackend client() {
    return store.backend();
  }

  List<Object> run(LockBackend client, ScriptCall call) {
    long now = schedule.nanoTime();
    store.advance(Duration.ofNanos(now - moved));
    moved = now;
    List<Object> reply = client.execute(call);
    schedule.note(call.script().name() + ' ' + call.args() + " -> " + reply);
    return reply;
  }

  /** The keys of queues and holds, without those that only last for a while. */
  Set<String> inUse() {
    Set<String> keys = new TreeSet<>(store.keys());
    keys.removeIf(key -> !key.contains("lock:") && !key.contains("queue:"));
    return keys;
  }

  /** The keys without expiry. */
  Set<String> forEver() {
    store.advance(LONGER_THAN_ANY_KEY);
    return store.keys();
  }
}
