package io.mortise.internal.lock;

import io.mortise.LockHolder;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.Optional;

/** What a lock, semaphore or latch asks the store at once. Each question is a command. */
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
    List<Object> reply = ask(call, "the queue of " + keys.text() + " was looked at");
    return Math.toIntExact((Long) reply.get(1));
  }

  /**
   * Runs a script that inspects the lock. Returns its reply, or an empty list if the lock is free.
   */
  private List<Object> look(ScriptCall inspection) {
    List<Object> reply = ask(inspection, keys.text() + " was looked at");
    return reply.get(0).equals("LOCKED") ? reply : List.of();
  }

  /**
   * Runs a command.
   *
   * @param what it was to do, for messages
   */
  List<Object> ask(ScriptCall call, String what) {
    return checked(engine.store().execute(keys, call, what));
  }

  /** Throws if the reply says that the keys hold somebody else's data. */
  List<Object> checked(List<Object> reply) {
    if (reply.get(0).equals("FOREIGN")) {
      throw Failures.foreign(keys, (String) reply.get(1));
    }
    return reply;
  }
}
