package io.mortise.engine;

import java.util.concurrent.CompletableFuture;

/** Gives out leases of one lock, semaphore or latch. */
record EngineClaimer(Engine engine, LockKeys keys, LeasePolicy lease) implements Claimer {
  @Override
  public void claim(long wait, CompletableFuture<Claimed> claimed) {
    engine.claim(keys, lease, wait, false, claimed);
  }

  @Override
  public void claimHere(long wait, CompletableFuture<Claimed> claimed) {
    engine.claim(keys, lease, wait, true, claimed);
  }
}
