package io.mortise.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A backend that forwards every call to another one. A wrapper extends it to time, count or break
 * calls. As thread-safe as the other backend.
 */
public abstract class ForwardingBackend implements LockBackend {
  /** For the subclass. */
  protected ForwardingBackend() {}

  /**
   * The backend that gets the calls.
   *
   * @return always the same object
   */
  protected abstract LockBackend target();

  @Override
  public List<Object> execute(ScriptCall call) {
    return target().execute(call);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return target().executeAsync(call);
  }

  /**
   * Calls {@link #executeAsync} one by one, so that a subclass needs to override only that method.
   * A subclass that keeps batches together forwards this method itself.
   */
  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    return calls.stream().map(this::executeAsync).toList();
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return target().subscribe(channel, listener);
  }

  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    return target().subscribeSharded(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return target().info();
  }

  @Override
  public TimeSource time() {
    return target().time();
  }

  @Override
  public void close() {
    target().close();
  }

  @Override
  public String toString() {
    return target().toString();
  }
}
