package io.mortise.engine;

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
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A service on a shared store. Other threads may run before each of its commands and between a
 * command and its reply; commands in the background run at any later moment.
 */
final class ScheduledService implements LockBackend {
  private final Schedule schedule;
  private final Function<ScriptCall, List<Object>> store;
  private final BooleanSupplier fails;
  final Engine engine;

  /**
   * @param startOnGrant as the option
   * @param fails asked at each command whether it shall get no answer
   */
  ScheduledService(
      String name,
      Schedule schedule,
      SharedStore store,
      boolean startOnGrant,
      BooleanSupplier fails) {
    this(name, schedule, store::run, startOnGrant, fails);
    store.deliver(name, engine.mailbox()::onMessage);
  }

  /** The same on a store of several locks, which the caller lets deliver. */
  ScheduledService(
      String name,
      Schedule schedule,
      Function<ScriptCall, List<Object>> store,
      boolean startOnGrant,
      BooleanSupplier fails) {
    this.schedule = schedule;
    this.store = store;
    this.fails = fails;
    Duration timeout = Duration.ofSeconds(2);
    Duration lease = Duration.ofSeconds(30);
    QueueTimes times = QueueTimes.standard(timeout);
    engine =
        new Engine(
            new ClientId(name),
            this,
            new Settings(lease, null, timeout, "mortise:", 2, false, false, startOnGrant, times),
            new Events(null, Runnable::run));
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    schedule.point();
    if (fails.getAsBoolean()) {
      throw unanswered(call);
    }
    List<Object> reply = store.apply(call);
    schedule.point();
    return reply;
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    CompletableFuture<List<Object>> reply = new CompletableFuture<>();
    schedule.later(
        "background",
        () -> {
          if (fails.getAsBoolean()) {
            reply.completeExceptionally(unanswered(call));
          } else {
            reply.complete(store.apply(call));
          }
        });
    return reply;
  }

  /** The command is lost, or runs at once, or late; nobody will know. */
  private BackendException unanswered(ScriptCall call) {
    schedule.note("no answer for " + call.script().name() + ' ' + call.args().get(0));
    if (schedule.chance(2)) {
      schedule.later("late", () -> store.apply(call));
    } else if (schedule.chance(2)) {
      List<Object> unused = store.apply(call);
    }
    return new BackendException(Outcome.UNKNOWN, "no answer", null);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return () -> {};
  }

  @Override
  public BackendInfo info() {
    return new BackendInfo("model", "7.0.0", true, true);
  }

  @Override
  public TimeSource time() {
    return schedule;
  }

  @Override
  public void close() {}
}
