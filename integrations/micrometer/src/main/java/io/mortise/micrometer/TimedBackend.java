package io.mortise.micrometer;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.mortise.spi.BackendException;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backend that forwards all calls to another one, and times its scripts. It returns and throws
 * what the other one does, also if a registry throws. As thread-safe as the other one.
 */
final class TimedBackend extends ForwardingBackend {
  private static final Logger log = LoggerFactory.getLogger(TimedBackend.class);

  /** How a command ended; the tag has these names. */
  private enum Outcome {
    OK,
    /** The server answered with an error. */
    ERROR,
    NOT_EXECUTED,
    UNKNOWN,
    /** The service does not want the reply any more. */
    CANCELLED;

    static Outcome of(@Nullable Throwable failure) {
      Throwable why =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      if (why == null) {
        return OK;
      }
      if (why instanceof CancellationException) {
        return CANCELLED;
      }
      return why instanceof BackendException e ? of(e.outcome()) : UNKNOWN;
    }

    private static Outcome of(BackendException.Outcome outcome) {
      return switch (outcome) {
        case REPLIED -> ERROR;
        case NOT_EXECUTED -> NOT_EXECUTED;
        case UNKNOWN -> UNKNOWN;
      };
    }
  }

  private final LockBackend target;
  private final CompositeMeterRegistry registry;
  private final TimeSource time;
  private final Map<String, MeterTable<Outcome, Timer>> byScript = new ConcurrentHashMap<>();

  TimedBackend(LockBackend target, CompositeMeterRegistry registry) {
    this.target = target;
    this.registry = registry;
    time = target.time();
  }

  @Override
  protected LockBackend target() {
    return target;
  }

  @Override
  public List<Object> execute(ScriptCall call) {
    long start = time.nanoTime();
    try {
      List<Object> reply = target.execute(call);
      record(call, start, null);
      return reply;
    } catch (Throwable e) {
      record(call, start, e);
      throw e;
    }
  }

  @Override
  public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
    long start = time.nanoTime();
    CompletableFuture<List<Object>> reply = target.executeAsync(call);
    time(call, start, reply);
    return reply; // itself, so that cancelling it reaches the other backend
  }

  @Override
  public List<CompletableFuture<List<Object>>> executeAll(List<ScriptCall> calls) {
    long start = time.nanoTime();
    List<CompletableFuture<List<Object>>> replies = target.executeAll(calls);
    for (int i = 0; i < Math.min(calls.size(), replies.size()); i++) {
      time(calls.get(i), start, replies.get(i));
    }
    return replies;
  }

  private void time(ScriptCall call, long start, CompletableFuture<List<Object>> reply) {
    CompletableFuture<List<Object>> unused =
        reply.whenComplete((value, failure) -> record(call, start, failure));
  }

  private void record(ScriptCall call, long start, @Nullable Throwable failure) {
    if (registry.getRegistries().isEmpty()) {
      return; // a meter that is made now would lack this time in a later registry
    }
    try {
      String script = call.script().name();
      MeterTable<Outcome, Timer> known = byScript.get(script);
      MeterTable<Outcome, Timer> timers =
          known == null ? byScript.computeIfAbsent(script, this::timers) : known;
      timers.of(Outcome.of(failure)).record(time.nanoTime() - start, TimeUnit.NANOSECONDS);
    } catch (Throwable e) { // an Error too: the caller must get the reply
      log.warn("the time of a command could not be recorded", e);
    }
  }

  private MeterTable<Outcome, Timer> timers(String script) {
    return new MeterTable<>(outcome ->
        Timer.builder("mortise.command")
            .description("From a command of a lock to its reply")
            .tag("script", script)
            .tag("outcome", MeterTable.text(outcome))
            .register(registry));
  }
}
