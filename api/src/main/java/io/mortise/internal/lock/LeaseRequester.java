package io.mortise.internal.lock;

import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.Wanted;
import java.util.concurrent.CompletableFuture;

/** The source of leases of one lock, semaphore or latch. */
record LeaseRequester(Engine engine, Wanted wanted) implements LeaseSource {
  @Override
  public void request(long wait, CompletableFuture<LeaseOutcome> outcome) {
    Runnable unused = engine.requests().start(wanted, wait, false, outcome);
  }

  @Override
  public Runnable requestHere(long wait, CompletableFuture<LeaseOutcome> outcome) {
    return engine.requests().start(wanted, wait, true, outcome);
  }
}
