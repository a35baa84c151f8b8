package io.mortise.internal.lock;

import io.mortise.LockHolder;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.Optional;

/** The state of a lock in the store. Each look is a command. */
record StoredLock(Engine engine, LockKeys keys) {
  /** As {@link io.mortise.DistributedLock#remainTimeToLive()}. */
  long remainTimeToLive() {
    List<Object> reply = look(engine.store().scripts().inspect(keys));
    return reply.isEmpty() ? -2 : (Long) reply.get(1);
  }

  Optional<LockHolder> holder() {
    List<Object> reply = look(engine.store().scripts().inspectHolder(keys));
    return reply.isEmpty() ? Optional.empty() : Optional.of(engine.snapshot().holder(keys, reply));
  }

  int queueLength() {
    ScriptCall call = engine.store().scripts().queueLength(keys);
    String what = "the queue of " + keys.text() + " was looked at";
    List<Object> reply = engine.store().execute(keys, call, what);
    if (reply.get(0).equals("FOREIGN")) {
      throw Failures.foreign(keys, (String) reply.get(1));
    }
    return Math.toIntExact((Long) reply.get(1));
  }

  /**
   * Runs a script that inspects the lock. Returns its reply, or an empty list if the lock is free.
   */
  private List<Object> look(ScriptCall inspection) {
    List<Object> reply = engine.store().execute(keys, inspection, keys.text() + " was looked at");
    return switch ((String) reply.get(0)) {
      case "LOCKED" -> reply;
      case "FREE" -> List.of();
      default -> throw Failures.foreign(keys, (String) reply.get(1));
    };
  }
}
