package io.mortise.conformance.lock;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ChannelListener;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.Subscription;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A backend that notes what is sent, and keeps back calls that nobody waits for, as a slow or a
 * hung connection does.
 */
final class SpyBackend implements LockBackend {
  private final LockBackend backend;
  private final LockBackend mail;
  private final Queue<ScriptCall> sent = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> kept = new ConcurrentLinkedQueue<>();
  private volatile Predicate<ScriptCall> slow = call -> false;
  private final AtomicBoolean hangs = new AtomicBoolean();
  private volatile @Nullable ScriptCall hung;
  private volatile boolean timersStopped;

  SpyBackend(LockBackend backend) {
    this(backend, backend);
  }

  /** Messages come through another backend, so that their link can be spoiled alone. */
  SpyBackend(LockBackend backend, LockBackend mail) {
    this.backend = backend;
    this.mail = mail;
  }

  /** The calls of a script since the last {@link #forget}. */
  List<ScriptCall> sent(String script) {
    return sent.stream().filter(call -> call.script().name().equals(script)).toList();
  }

  void forget() {
    sent.clear();
  }

  /** Calls that match are sent when {@link #release} says so. */
  void keepBack(Predicate<ScriptCall> which) {
    slow = which;
  }

  int keptBack() {
    return kept.size();
  }

  void release() {
    slow = call -> false;
    for (Runnable send = kept.poll(); send != null; send = kept.poll()) {
      send.run();
    }
  }

  /** The next call that nobody waits for is never sent, and fails when its time is over. */
  void hangOnce() {
    hangs.set(true);
  }

  /** The call that hung. */
  @Nullable ScriptCall hung() {
    return hung;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    sent.add(call);
    return backend.execute(call);
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    return executeAll(List.of(call)).get(0);
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    sent.addAll(calls);
    if (!hangs.get() && calls.stream().noneMatch(slow)) {
      return backend.executeAll(calls);
    }
    return calls.stream().map(this::spoiled).toList();
  }

  private CompletableFuture<List<Object>> spoiled(ScriptCall call) {
    CompletableFuture<List<Object>> reply = new CompletableFuture<>();
    if (hangs.compareAndSet(true, false)) {
      hung = call;
      BackendException late =
          new BackendException(Outcome.UNKNOWN, "the test hung the connection", null);
      TimeSource.Timer unused =
          time().schedule(() -> reply.completeExceptionally(late), call.timeout());
    } else if (slow.test(call)) {
      kept.add(() -> send(call, reply));
    } else {
      send(call, reply);
    }
    return reply;
  }

  private void send(ScriptCall call, CompletableFuture<List<Object>> reply) {
    CompletableFuture<?> unused =
        backend
            .executeAsync(call)
            .whenComplete((value, failure) -> {
              if (failure == null) {
                reply.complete(value);
              } else {
                reply.completeExceptionally(failure);
              }
            });
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return mail.subscribe(channel, listener);
  }

  @Override
  public BackendInfo info() {
    return backend.info();
  }

  /** Timers set from now on never run, as if their thread got no time. */
  void stopTimers() {
    timersStopped = true;
  }

  @Override
  public TimeSource time() {
    TimeSource time = backend.time();
    return timersStopped ? new WithoutTimers(time) : time;
  }

  private record WithoutTimers(TimeSource time) implements TimeSource {
    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      time.parkNanos(blocker, nanos);
    }

    @Override
    public Timer schedule(Runnable task, Duration delay) {
      return () -> {};
    }
  }

  /** Closes neither: whoever opened them does. */
  @Override
  public void close() {}

  @Override
  public String toString() {
    return "SpyBackend[" + backend + ", " + sent.size() + " calls, " + kept.size() + " kept back]";
  }
}
