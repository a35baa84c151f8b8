package io.mortise.cli;

import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A backend that forwards every call and counts it. */
final class CountingBackend extends ForwardingBackend {
  private final LockBackend backend;
  private final Meter meter;

  CountingBackend(LockBackend backend, Meter meter) {
    this.backend = backend;
    this.meter = meter;
  }

  @Override
  protected LockBackend target() {
    return backend;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    meter.sent(1);
    return backend.execute(call);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    meter.sent(1);
    return backend.executeAsync(call);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    meter.sent(calls.size());
    return backend.executeAll(calls);
  }
}
