package io.mortise.conformance.spi;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A good backend as the ground for a defect. */
class Wrapped implements LockBackend {
  private final LockBackend good;

  Wrapped(LockBackend good) {
    this.good = good;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return good.execute(call);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return good.executeAsync(call);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    return calls.stream().map(this::executeAsync).toList();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return good.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return good.info();
  }

  @Override
  public void close() {
    good.close();
  }

  @Override
  public String toString() {
    return good.toString();
  }
}
