package io.mortise.junit;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The way from one process to the store, which the test can break. Subscriptions need no fault of
 * their own: while the store is down nobody can publish, so no message is missed.
 */
final class Link extends ForwardingBackend {
  private final LockBackend client;
  private final BooleanSupplier storeDown;
  private final AtomicInteger repliesToLose = new AtomicInteger();
  private volatile boolean cut;

  Link(LockBackend client, BooleanSupplier storeDown) {
    this.client = client;
    this.storeDown = storeDown;
  }

  @Override
  protected LockBackend target() {
    return client;
  }

  /** From now on nothing that this process sends arrives. */
  void cut() {
    cut = true;
  }

  boolean isCut() {
    return cut;
  }

  /** The next call runs in the store, and its reply does not arrive. */
  void loseReply() {
    repliesToLose.incrementAndGet();
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    if (cut) {
      throw new BackendException(Outcome.NOT_EXECUTED, client + ": LockWorld.crash", null);
    }
    if (storeDown.getAsBoolean()) {
      throw new BackendException(Outcome.NOT_EXECUTED, client + ": LockWorld.storeDown", null);
    }
    List<Object> reply = client.execute(call);
    if (repliesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new BackendException(
          Outcome.UNKNOWN,
          client + ": LockWorld.loseReply, of the script " + call.script().name(),
          null);
    }
    return reply;
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    try {
      return CompletableFuture.completedFuture(execute(call));
    } catch (BackendException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
