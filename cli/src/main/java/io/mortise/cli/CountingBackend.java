package io.mortise.cli;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A backend that forwards every call and counts it. */
final class CountingBackend implements LockBackend {
  private final LockBackend backend;
  private final Meter meter;

  CountingBackend(LockBackend backend, Meter meter) {
    this.backend = backend;
    this.meter = meter;
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

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return backend.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return backend.info();
  }

  @Override
  public TimeSource time() {
    return backend.time();
  }

  @Override
  public void close() {
    backend.close();
  }

  @Override
  public String toString() {
    return backend.toString();
  }
}
