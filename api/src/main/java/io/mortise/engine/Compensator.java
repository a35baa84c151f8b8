package io.mortise.engine;

import io.mortise.spi.ScriptCall;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes acquisitions back in the background, detached from the thread that gave them up: sends
 * <em>leave</em> until the store confirms it, or until whatever the id held must have ended by
 * itself. Harmless to repeat, since it only touches its own id.
 */
final class Compensator {
  private static final Logger log = LoggerFactory.getLogger(Compensator.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Engine engine;

  Compensator(Engine engine) {
    this.engine = engine;
  }

  void leave(LockKeys keys, String id, boolean outcomeUnknown) {
    long end = engine.now() + engine.settings().tombstone().toNanos();
    new Attempt(keys.name(), engine.scripts().leave(keys, id, outcomeUnknown), end)
        .send(FIRST_PAUSE);
  }

  private final class Attempt {
    private final String name;
    private final ScriptCall call;
    private final long end;

    Attempt(String name, ScriptCall call, long end) {
      this.name = name;
      this.call = call;
      this.end = end;
    }

    void send(Duration pause) {
      Engine.whenReplied(
          engine.backend().executeAsync(call),
          (reply, failure) -> {
            if (failure != null) {
              again(pause, failure);
            }
          });
    }

    private void again(Duration pause, Throwable failure) {
      if (engine.isClosed()) {
        return;
      }
      if (engine.now() - end >= 0) {
        log.warn(
            "lock '{}': gave up withdrawing an acquisition that must have ended", name, failure);
        return;
      }
      Duration doubled = pause.multipliedBy(2);
      Duration next = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
      engine.time().schedule(() -> send(next), pause);
    }
  }
}
