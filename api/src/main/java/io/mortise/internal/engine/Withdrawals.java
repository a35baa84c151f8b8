package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes acquisitions back in the background, detached from the thread that gave them up. It sends
 * <em>leave</em> until the store confirms it, or until every hold of the id must have ended by
 * itself. A repeated command is harmless, since it only touches its own id. Closing the service
 * waits for the reply to the first command, not for the repetitions. Thread-safe.
 */
public final class Withdrawals {
  private static final Logger log = LoggerFactory.getLogger(Withdrawals.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  private final Store store;
  private final Acquisitions acquisitions;

  Withdrawals(Store store, Acquisitions acquisitions) {
    this.store = store;
    this.acquisitions = acquisitions;
  }

  /** Takes back an acquisition of this service. */
  void leave(Acquisition acquisition) {
    leave(acquisition, () -> {});
  }

  /**
   * Takes an acquisition back after a release without a reply. The lost reply may have granted the
   * lock to other acquisitions of this service, so those that wait for it then ask the store.
   */
  void leaveAgain(Acquisition released) {
    leave(released, () -> acquisitions.askAgain(released.keys()));
  }

  private void leave(Acquisition acquisition, Runnable then) {
    LockKeys keys = acquisition.keys();
    ScriptCall call = store.scripts().leave(keys, acquisition.id(), acquisition.mayArriveLate());
    send(keys, call, acquisition.lease().terms().nanos(), then);
  }

  /** Takes back a grant to an id that this service does not know. */
  void leave(LockKeys keys, String id) {
    send(keys, store.scripts().leave(keys, id, false));
  }

  public void send(LockKeys keys, ScriptCall call) {
    send(keys, call, 0, () -> {});
  }

  private void send(LockKeys keys, ScriptCall call, long longestLease, Runnable then) {
    long tombstone = store.options().tombstone().toNanos();
    boolean unused = store.phase().releasing();
    new Attempt(keys.text(), call, store.now() + Math.max(tombstone, longestLease), then)
        .send(FIRST_PAUSE, store.phase()::released);
  }

  private final class Attempt {
    private final String what;
    private final ScriptCall call;
    private final long end;
    private final Runnable then;

    Attempt(String what, ScriptCall call, long end, Runnable then) {
      this.what = what;
      this.call = call;
      this.end = end;
      this.then = then;
    }

    void send(Duration pause, Runnable answered) {
      Futures.whenReplied(
          store.batcher().send(call),
          (reply, failure) -> {
            try {
              if (failure != null) {
                again(pause, failure);
              } else {
                then.run();
              }
            } finally {
              answered.run();
            }
          });
    }

    private void again(Duration pause, Throwable failure) {
      if (store.isClosed()) {
        return;
      }
      if (store.now() - end >= 0) {
        log.warn("{}: gave up withdrawing an acquisition that must have ended", what, failure);
        return;
      }
      Duration doubled = pause.multipliedBy(2);
      Duration next = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
      store.time().schedule(() -> send(next, () -> {}), pause);
    }
  }
}
