package io.mortise.conformance.lock;

import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A backend of a process whose clock is wrong. */
final class SkewedBackend implements LockBackend {
  private final LockBackend backend;
  private final TimeSource time;

  SkewedBackend(LockBackend backend, Duration ahead) {
    this.backend = backend;
    time = new Skewed(backend.time(), ahead.toNanos());
  }

  private record Skewed(TimeSource right, long ahead) implements TimeSource {
    @Override
    public long nanoTime() {
      return right.nanoTime() + ahead;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      right.parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      right.unpark(thread);
    }

    @Override
    public Timer schedule(Runnable task, Duration delay) {
      return right.schedule(task, delay);
    }
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    return backend.execute(call);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return backend.executeAsync(call);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
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
    return time;
  }

  @Override
  public void close() {
    backend.close();
  }
}
