package io.mortise.internal.told;

import io.mortise.Kind;
import io.mortise.LockAttempt;
import io.mortise.LockListener;
import io.mortise.internal.wire.LockKeys;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One attempt, as listeners are told of it. It exists only if somebody listens. Thread-safe. */
public final class ToldAttempt implements LockAttempt {
  private final LockKeys keys;
  private final boolean lease;
  private final long start;
  private volatile long waited;
  private @Nullable Map<LockListener, Object> contexts;

  public ToldAttempt(LockKeys keys, boolean lease, long start) {
    this.keys = keys;
    this.lease = lease;
    this.start = start;
  }

  /** The attempt is over. */
  public void ends(long now) {
    waited = now - start;
  }

  @Override
  public String name() {
    return keys.name();
  }

  @Override
  public Kind kind() {
    return keys.kind().told();
  }

  @Override
  public boolean isLease() {
    return lease;
  }

  @Override
  public long startNanos() {
    return start;
  }

  @Override
  public long waitedNanos() {
    return waited;
  }

  @Override
  public synchronized @Nullable Object context(LockListener owner) {
    return contexts == null ? null : contexts.get(owner);
  }

  @Override
  public synchronized void setContext(LockListener owner, @Nullable Object value) {
    Map<LockListener, Object> known = contexts == null ? new IdentityHashMap<>(2) : contexts;
    contexts = known;
    if (value == null) {
      known.remove(owner);
    } else {
      known.put(owner, value);
    }
  }

  @Override
  public String toString() {
    return (lease ? "attempt of a lease on " : "attempt of a thread on ") + keys.text();
  }
}
