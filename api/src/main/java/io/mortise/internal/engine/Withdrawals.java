package io.mortise.internal.engine;

import io.mortise.internal.concurrent.Backoff;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes acquisitions back in the background, detached from the thread that gave them up. It sends
 * <em>leave</em> until the store confirms it, or until every hold of the id must have ended by
 * itself. A repeated command is harmless, since it only touches its own id. A part of the permits
 * of a lease is given back in the same way. Closing the service waits for the reply to the first
 * command, not for the repetitions. Thread-safe.
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

  /**
   * Gives back a hold that nobody uses.
   *
   * @param answered runs when the store has answered, or has not answered in time. In the second
   *     case the command is sent again
   */
  void giveBackUnused(Acquisition unused, Runnable answered) {
    long longest = unused.lease().terms().nanos();
    new Withdrawal(unused, unused.keys(), () -> leaving(unused), longest, () -> {}).start(answered);
  }

  private void leave(Acquisition acquisition, Runnable then) {
    long rest = acquisition.lease().rest(store.now());
    long longest = Math.max(acquisition.lease().terms().nanos(), rest);
    new Withdrawal(acquisition, acquisition.keys(), () -> leaving(acquisition), longest, then)
        .start(() -> {});
  }

  /**
   * Gives back a part of a lease's permits after a command without a reply, for as long as the
   * lease is held: its end gives back all of them. The lost reply may have granted permits to other
   * acquisitions of this service, so those that wait then ask the store.
   *
   * @param sum how many the lease has given back so far
   */
  void giveBack(Acquisition held, int sum) {
    ScriptCall call = store.scripts().giveBack(held, sum, false);
    new Withdrawal(
            call,
            held.keys(),
            () -> held.lease().isHeld() ? call : null,
            Long.MAX_VALUE / 2,
            () -> acquisitions.askAgain(held.keys()))
        .start(() -> {});
  }

  /** A place that is kept for some time is left to that time, and only then given back. */
  private ScriptCall leaving(Acquisition left) {
    long rest = left.lease().rest(store.now());
    return rest > 0
        ? store.scripts().linger(left, rest)
        : store.scripts().leave(left.keys(), left.id(), left.mayArriveLate());
  }

  /** Takes back a grant to an id that this service does not know. */
  void leave(LockKeys keys, String id) {
    send(keys, store.scripts().leave(keys, id, false));
  }

  public void send(LockKeys keys, ScriptCall call) {
    new Withdrawal(call, keys, () -> call, 0, () -> {}).start(() -> {});
  }

  /** One thing that goes back to the store, until that has confirmed it. */
  private final class Withdrawal {
    private final Object leaving;
    private final LockKeys keys;
    private final Supplier<@Nullable ScriptCall> call;
    private final long end;
    private final Runnable then;
    private final Backoff pause = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);

    /**
     * @param leaving what {@link Departures} knows it by
     * @param call makes the command each time; null if it is not wanted any more
     * @param longestLease how long a hold of it lasts at most (ns)
     * @param then runs when the command has been executed, or is not wanted any more
     */
    Withdrawal(
        Object leaving,
        LockKeys keys,
        Supplier<@Nullable ScriptCall> call,
        long longestLease,
        Runnable then) {
      this.leaving = leaving;
      this.keys = keys;
      this.call = call;
      this.then = then;
      end = store.now() + Math.max(store.options().tombstone().toNanos(), longestLease);
    }

    /**
     * @param answered runs when the store has answered the first command, or has not in time
     */
    void start(Runnable answered) {
      boolean unused = store.phase().releasing();
      store.departures().begins(leaving, keys);
      send(() -> {
        store.departures().answered(leaving, keys);
        try {
          answered.run();
        } finally {
          store.phase().released();
        }
      });
    }

    private void send(Runnable answered) {
      ScriptCall made = call.get();
      if (made == null) {
        try {
          then.run(); // an earlier command may have been executed
        } finally {
          answered.run();
        }
        return;
      }
      Futures.whenReplied(
          store.batcher().send(made),
          (reply, failure) -> {
            try {
              if (failure != null) {
                again(failure);
              } else if (reply != null && AcquireReply.stoppedEarly(reply)) {
                pause.reset();
                send(() -> {});
              } else {
                then.run();
              }
            } finally {
              answered.run();
            }
          });
    }

    private void again(Throwable failure) {
      if (store.isClosed()) {
        return;
      }
      if (store.now() - end >= 0) {
        log.warn(
            "{}: gave up withdrawing an acquisition that must have ended", keys.text(), failure);
        return;
      }
      store.time().schedule(() -> send(() -> {}), Duration.ofNanos(pause.next()));
    }
  }
}
