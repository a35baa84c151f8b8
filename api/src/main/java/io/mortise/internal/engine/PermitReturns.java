package io.mortise.internal.engine;

import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back a part of the permits of a lease, which keeps the rest. Each command has the sum of
 * what the lease has given back so far. So a command that is late, or is sent again, does no harm.
 * Thread-safe.
 */
record PermitReturns(Store store, Withdrawals withdrawals, Releases releases) {
  private static final Logger log = LoggerFactory.getLogger(PermitReturns.class);

  /** The loss of a lease that the store no longer had. */
  static final Loss NOT_FOUND =
      new Loss(LossCause.KEY_GONE, "the store no longer had it when permits were given back");

  /**
   * Gives permits back, on the thread that wants it.
   *
   * @param sum how many the lease has given back so far, with these; fewer than it took
   * @return false if the store no longer had the lease. True also if the store could not be asked;
   *     then it is asked in the background.
   */
  boolean give(Acquisition held, int sum) {
    boolean unused = store.phase().releasing();
    long sentAt = store.now();
    ScriptCall call = store.scripts().giveBack(held, sum, true);
    store.departures().begins(call, held.keys());
    try {
      List<Object> reply = store.backend().execute(call);
      return given(held, reply, sentAt);
    } catch (BackendException e) {
      return givenLater(held, sum, e);
    } catch (RuntimeException | Error e) {
      withdrawals.giveBack(held, sum);
      throw e;
    } finally {
      store.departures().answered(call, held.keys());
      store.phase().released();
    }
  }

  /** As {@link #give}; the future completes on the thread that delivers the reply. */
  CompletableFuture<Boolean> giveAsync(Acquisition held, int sum) {
    boolean unused = store.phase().releasing();
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    long sentAt = store.now();
    ScriptCall call = store.scripts().giveBack(held, sum, true);
    store.departures().begins(call, held.keys());
    Futures.whenReplied(
        store.batcher().send(call),
        (reply, failure) -> {
          store.departures().answered(call, held.keys());
          try {
            given.complete(
                reply == null
                    ? givenLater(held, sum, Failures.cause(failure))
                    : given(held, reply, sentAt));
          } finally {
            store.phase().released();
          }
        });
    return given;
  }

  private boolean given(Acquisition held, List<Object> reply, long sentAt) {
    store.complainOfMail(AcquireReply.textAt(reply, 1));
    releases.grant(held.keys(), reply, sentAt);
    return reply.get(0).equals("RELEASED");
  }

  private boolean givenLater(Acquisition held, int sum, BackendException e) {
    log.warn("{}: permits given back in the background: {}", held.keys().text(), e.getMessage());
    log.debug("giving back failed", e);
    withdrawals.giveBack(held, sum);
    return true;
  }
}
