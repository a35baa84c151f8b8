package io.mortise.internal.lock;

import io.mortise.DistributedCountDownLatch;
import io.mortise.LockException;
import io.mortise.internal.concurrent.Backoff;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.Wanted;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.Names;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A handle of a count-down latch. A waiter is a lease request that ends without a lease. */
final class LatchHandle implements DistributedCountDownLatch {
  private final Engine engine;
  private final LockKeys keys;
  private final StoredLock stored;
  private final AsyncLeases requests;

  LatchHandle(Engine engine, LockKeys keys) {
    this.engine = engine;
    this.keys = keys;
    stored = new StoredLock(engine, keys);
    requests = AsyncLeases.of(engine, new Wanted(keys, engine.store().defaultLease()));
  }

  @Override
  public String name() {
    return keys.name();
  }

  // Waiting

  @Override
  public void await() throws InterruptedException {
    LeaseOutcome unused = requests.awaitOutcome(LeaseSource.FOREVER);
  }

  @Override
  public boolean await(long wait, TimeUnit unit) throws InterruptedException {
    return requests.awaitOutcome(unit.toNanos(wait)).open();
  }

  @Override
  public CompletableFuture<Void> awaitAsync() {
    CompletableFuture<LeaseOutcome> passing =
        requests.request(LeaseSource.FOREVER, Function.identity());
    CompletableFuture<Void> open = passing.thenAccept(passed -> {});
    CompletableFuture<Void> unused = open.whenComplete((v, failure) -> passing.cancel(false));
    return open;
  }

  @Override
  public CompletableFuture<Boolean> awaitAsync(Duration wait) {
    return requests.request(AsyncLeases.nanos(wait), LeaseOutcome::open);
  }

  // Counting

  @Override
  public boolean trySetCount(long count) {
    if (count < 0 || count > MAX_COUNT) {
      throw new IllegalArgumentException(
          "%s: a count of %d; give it 0 to %d".formatted(keys.text(), count, MAX_COUNT));
    }
    return step("set", count, "its count was set").get(0).equals("COUNT");
  }

  @Override
  public void countDown() {
    switch ((String) step("down", 1, "it was counted down").get(0)) {
      case "UNSET" -> throw unset();
      case "BELOW" ->
          throw new IllegalStateException(
              keys.text()
                  + " is open, its count is 0, and there is nothing left to count down; count down once per step, and use another name for another round");
      default -> {}
    }
  }

  @Override
  public boolean delete() {
    return step("delete", 0, "it was deleted").get(0).equals("COUNT");
  }

  @Override
  public long getCount() {
    List<Object> reply = stored.ask(count("", "look", 0), what("it was looked at"));
    if (reply.get(0).equals("UNSET")) {
      throw unset();
    }
    return (Long) reply.get(1);
  }

  /**
   * Sends a step until it is answered or the time is over. The store remembers the id of a step, so
   * it counts once. A step that was certainly never executed fails at once.
   */
  private List<Object> step(String mode, long count, String what) {
    ScriptCall call = count(engine.newStepId(), mode, count);
    long end = engine.store().now() + longest().toNanos();
    Backoff pause = engine.store().backoff();
    boolean uncertain = false;
    while (true) {
      engine.store().checkNotClosed(keys);
      try {
        List<Object> reply = stored.checked(engine.store().backend().execute(call));
        engine.releases().goOn(keys, reply);
        return reply;
      } catch (BackendException e) {
        uncertain = uncertain || e.outcome() == Outcome.UNKNOWN;
        long wait = pause.next();
        if (!uncertain || engine.store().now() + wait - end >= 0) {
          throw failure(e, uncertain, what);
        }
        sleep(wait);
      }
    }
  }

  /** How long a step is sent again: it must end well before the store forgets the id. */
  private Duration longest() {
    Duration remembered = engine.store().options().tombstone().dividedBy(2);
    Duration lease = engine.store().options().leaseTime();
    return lease.compareTo(remembered) < 0 ? lease : remembered;
  }

  private void sleep(long nanos) {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    engine.store().time().schedule(() -> over.complete(true), Duration.ofNanos(nanos));
    Boolean unused = Futures.join(over, engine.store().time());
  }

  private LockException failure(BackendException e, boolean uncertain, String what) {
    Outcome outcome = uncertain ? Outcome.UNKNOWN : e.outcome();
    return engine
        .store()
        .failure(new BackendException(outcome, String.valueOf(e.getMessage()), e), what(what));
  }

  private ScriptCall count(String id, String mode, long count) {
    return engine.store().scripts().count(keys, id, mode, count);
  }

  private String what(String what) {
    return keys.text() + ": " + what;
  }

  private IllegalStateException unset() {
    return new IllegalStateException(
        keys.text()
            + " has no count: it was never set, or the store has forgotten it (7 days without use, or its key was deleted or lost); call trySetCount, and use another name if steps may have been counted before (docs/troubleshooting.md#unset)");
  }

  /** Handles of one latch of one service are equal. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LatchHandle that
        && engine == that.engine
        && keys.lock().equals(that.keys.lock());
  }

  @Override
  public int hashCode() {
    return keys.lock().hashCode();
  }

  @Override
  public String toString() {
    return "DistributedCountDownLatch[" + Names.shown(keys.name()) + ']';
  }
}
