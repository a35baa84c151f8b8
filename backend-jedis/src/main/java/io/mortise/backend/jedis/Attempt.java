package io.mortise.backend.jedis;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/** One call on its way: handed to a socket at most once, ended exactly once. */
final class Attempt {
  final CompletableFuture<List<Object>> reply = new CompletableFuture<>();
  final ScriptCall call;
  final long deadline;
  private final String endpoint;

  /** Taken to send the call, or by a failure, which so keeps it from being sent. */
  private final AtomicBoolean claimed = new AtomicBoolean();

  Attempt(ScriptCall call, String endpoint) {
    this.call = call;
    this.endpoint = endpoint;
    deadline = System.nanoTime() + call.timeout().toNanos();
  }

  /** Whether it was sent; not if it has ended. */
  boolean send(Connection connection, Command how) {
    String script = how == Command.EVAL ? call.script().source() : call.script().sha1();
    CommandArguments command = new CommandArguments(how).add(script).add(call.keys().size());
    command.addObjects(call.keys()).addObjects(call.args());
    boolean sends = !reply.isDone() && claimed.compareAndSet(false, true);
    if (sends) {
      connection.sendCommand(command);
    }
    return sends;
  }

  /** The server did not know the script, so nothing ran. */
  void unclaim() {
    claimed.set(false);
  }

  @SuppressWarnings("unchecked") // Jedis decodes to String, Long and List.
  void answer(Object raw) {
    if (raw instanceof JedisDataException error) {
      end(Outcome.REPLIED, String.valueOf(error.getMessage()), error);
    } else if (SafeEncoder.encodeObject(raw) instanceof List<?> list) {
      reply.complete((List<Object>) list);
    } else {
      fail(new IllegalStateException("a script must reply with an array, but this one did not"));
    }
  }

  /** Certainly not executed if it was not sent; and then it never will be. */
  void fail(Throwable cause) {
    boolean sent = !claimed.compareAndSet(false, true);
    String fate = sent ? " was sent but not answered: " : " was not sent: ";
    String message = endpoint + ": " + call.script().name() + fate + cause.getMessage();
    end(sent ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, message, cause);
  }

  private void end(Outcome outcome, String message, Throwable cause) {
    reply.completeExceptionally(new BackendException(outcome, message, cause));
  }
}
