package io.mortise.backend.inmemory;

import io.mortise.spi.ChannelListener;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A backend of which one step throws an Error, as when no thread can be started or a class is
 * missing. The step is a script, or one of those here.
 */
final class FaultyBackend extends ForwardingBackend {
  static final String PARK = "park";
  static final String UNPARK = "unpark";
  static final String TIMER = "timer";

  static final String RENEWALS = "async renew";

  static final String SUBSCRIBE = "subscribe";
  static final String UNSUBSCRIBE = "unsubscribe";

  private final LockBackend backend;
  private final TimeSource time;
  private volatile boolean closed;
  private String step = "";
  private Runnable action = () -> {};

  FaultyBackend(LockBackend backend) {
    this.backend = backend;
    time = new FaultyTime(backend.time());
  }

  /** The next one of these steps throws. */
  void failsAt(String next) {
    before(
        next,
        () -> {
          throw new LinkageError("on purpose, at " + next);
        });
  }

  /** Runs that before the next one of these steps, on its thread. */
  synchronized void before(String next, Runnable task) {
    step = next;
    action = task;
  }

  private void at(String reached) {
    action(reached).run();
  }

  private synchronized Runnable action(String reached) {
    if (!step.equals(reached)) {
      return () -> {};
    }
    step = "";
    return action;
  }

  @Override
  protected LockBackend target() {
    return backend;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    at(call.script().name());
    List<Object> reply = backend.execute(call);
    at("after " + call.script().name());
    return reply;
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    at("async " + call.script().name());
    return backend.executeAsync(call);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    at("async " + calls.get(0).script().name());
    return backend.executeAll(calls);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    at(SUBSCRIBE);
    Subscription subscription = backend.subscribe(channel, listener);
    return () -> {
      subscription.close();
      at(UNSUBSCRIBE);
    };
  }

  @Override
  public Subscription subscribeSharded(String channel, ChannelListener listener) {
    return subscribe(channel, listener);
  }

  @Override
  public void close() {
    closed = true;
    backend.close();
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public TimeSource time() {
    return time;
  }

  private final class FaultyTime extends ForwardingTime {
    private final TimeSource real;

    FaultyTime(TimeSource real) {
      this.real = real;
    }

    @Override
    protected TimeSource target() {
      return real;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      at(PARK);
      real.parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      at(UNPARK);
      real.unpark(thread);
    }

    @Override
    public Timer schedule(Runnable task, Duration delay) {
      at(TIMER);
      return real.schedule(task, delay);
    }
  }
}
