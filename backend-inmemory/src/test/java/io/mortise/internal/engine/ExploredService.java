package io.mortise.internal.engine;

import io.mortise.LockService;
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

/**
 * A service on a shared store. Other threads may run before each of its commands, and between a
 * command and its reply. Background commands, messages and callbacks come at any later moment, in
 * any order.
 */
final class ExploredService implements LockBackend {
  private final String name;
  private final Schedule schedule;
  private final ExploredStore store;
  private final LockBackend client;
  private final BooleanSupplier fails;
  private final BooleanSupplier losesMessages;
  private final LockService service;

  /**
   * Creates a service.
   *
   * @param fails decides for each command whether it gets no answer
   * @param losesMessages decides for each message whether it is lost
   */
  ExploredService(
      String name,
      Schedule schedule,
      ExploredStore store,
      boolean retain,
      BooleanSupplier fails,
      BooleanSupplier losesMessages) {
    this.name = name;
    this.schedule = schedule;
    this.store = store;
    this.fails = fails;
    this.losesMessages = losesMessages;
    client = store.client();
    service =
        LockService.builder()
            .backend(this)
            .handOffLimit(2)
            .retain(Duration.ofMillis(retain ? 500 : 0))
            .executor(task -> schedule.later(name + " callback", task))
            .open();
  }

  LockService service() {
    return service;
  }

  /** Ends the service. Nothing is in flight any more. */
  void shutDown() {
    service.close();
    client.close();
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    schedule.point();
    if (fails.getAsBoolean()) {
      throw unanswered(call);
    }
    List<Object> reply = store.run(client, call);
    schedule.point();
    return reply;
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    CompletableFuture<List<Object>> reply = new CompletableFuture<>();
    schedule.later(name + " sends " + call.script().name(), () -> arrive(call, reply));
    return reply;
  }

  /** Runs the command. Its reply arrives later. */
  private void arrive(ScriptCall call, CompletableFuture<List<Object>> reply) {
    if (fails.getAsBoolean()) {
      reply.completeExceptionally(unanswered(call));
      return;
    }
    List<Object> answer = store.run(client, call);
    schedule.later(name + " hears of " + call.script().name(), () -> reply.complete(answer));
  }

  /** The command is lost, or runs at once, or runs late. Its outcome stays unknown. */
  private BackendException unanswered(ScriptCall call) {
    schedule.note(name + ": no answer for " + call.script().name() + ' ' + call.args());
    if (schedule.chance(2)) {
      schedule.later("late " + call.script().name(), () -> store.run(client, call));
    } else if (schedule.chance(2)) {
      List<Object> unused = store.run(client, call);
    }
    return new BackendException(Outcome.UNKNOWN, "no answer", null);
  }

  @Override
  public Subscription subscribe(String channel, ChannelListener listener) {
    return client.subscribe(
        channel,
        new ChannelListener() {
          @Override
          public void onSubscribed() {
            listener.onSubscribed();
          }

          @Override
          public void onInterrupted(Throwable cause) {
            listener.onInterrupted(cause);
          }

          @Override
          public void onMessage(String message) {
            if (!losesMessages.getAsBoolean()) {
              schedule.later(name + " hears " + message, () -> listener.onMessage(message));
            }
          }
        });
  }

  @Override
  public BackendInfo info() {
    return client.info();
  }

  @Override
  public TimeSource time() {
    return schedule;
  }

  @Override
  public void close() {}
}
