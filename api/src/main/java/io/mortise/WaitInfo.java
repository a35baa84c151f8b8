package io.mortise;

import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * An attempt of this service that waits, at the moment of the question.
 *
 * @param name the lock's name
 * @param kind the kind of handle that waits
 * @param threadName the thread that waits for itself; empty for a {@link Lease} or a latch
 * @param waitingFor the time since the attempt began
 */
public record WaitInfo(String name, Kind kind, Optional<String> threadName, Duration waitingFor) {
  /** On one line: control characters are shown as escapes. */
  @Override
  public String toString() {
    return Names.shown(
        "WaitInfo[name=%s, kind=%s, threadName=%s, waitingFor=%s]"
            .formatted(name, kind, threadName, waitingFor));
  }
}
