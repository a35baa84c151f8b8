package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.util.SafeEncoder;

/** The future of one call's reply. The call is handed to a socket once, or twice by NOSCRIPT. */
final class Attempt extends CompletableFuture<List<Object>> {
  private final ScriptCall call;
  private final String endpoint;
  private final long deadline;

  /** The outcome of a failure: set by what comes first, the sending or the first failure. */
  private final AtomicReference<@Nullable Outcome> fate = new AtomicReference<>();

  private Command how = Command.EVALSHA;
  private @Nullable Object reply;

  Attempt(ScriptCall call, String endpoint) {
    this.call = call;
    this.endpoint = endpoint;
    deadline = System.nanoTime() + call.timeout().toNanos();
  }

  /** At least one: to a socket, zero is no limit. */
  int millisLeft() {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
  }

  /** Ends it when its time is over, wherever it is. */
  void limit() {
    TimeoutException late = new TimeoutException("its time is over");
    TimeSource.Timer timer =
        TimeSource.system().schedule(() -> fail(late), Duration.ofMillis(millisLeft()));
    CompletableFuture<?> unused = whenComplete((result, failure) -> timer.close());
  }

  /** Whether it was sent; not if it has ended. */
  boolean send(Connection connection) {
    String script = how == Command.EVAL ? call.script().source() : call.script().sha1();
    CommandArguments command = new CommandArguments(how).add(script).add(call.keys().size());
    command.addObjects(call.keys()).addObjects(call.args());
    boolean sends = !isDone() && fate.compareAndSet(null, Outcome.UNKNOWN);
    if (sends) {
      connection.sendCommand(command);
    }
    return sends;
  }

  /** Keeps the reply. Whether to send again: the server did not know the script, nothing ran. */
  boolean take(Object raw) {
    boolean again = raw instanceof JedisNoScriptException && how == Command.EVALSHA;
    if (again) {
      how = Command.EVAL;
      fate.set(null);
    } else {
      reply = Objects.requireNonNull(raw, "a script replies with an array");
    }
    return again;
  }

  /** Ends it with the reply, if there is one. */
  @SuppressWarnings("unchecked") // A script replies with an array.
  void finish() {
    if (reply instanceof JedisDataException error) {
      end(Outcome.REPLIED, String.valueOf(error.getMessage()), error);
    } else if (reply != null) {
      complete((List<Object>) SafeEncoder.encodeObject(reply));
    }
  }

  /** Certainly not executed if it was not sent; and then it never will be. */
  void fail(Throwable cause) {
    boolean sent = fate.compareAndExchange(null, Outcome.NOT_EXECUTED) == Outcome.UNKNOWN;
    String what = sent ? " was sent but not answered: " : " was not sent: ";
    String message = endpoint + ": " + call.script().name() + what + cause.getMessage();
    end(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, message, cause);
  }

  private void end(Outcome outcome, String message, Throwable cause) {
    completeExceptionally(new BackendException(outcome, message, cause));
  }
}
