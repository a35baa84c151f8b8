package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A call, both as Lettuce's command and as its caller's future, which fails with a BackendException
 * only. Lettuce does not write a command that is done: so a call given up never runs later.
 */
final class Call extends AsyncCommand<String, String, List<Object>> {
  private final LettuceBackend backend;
  private final ScriptCall call;

  /** Whether the command was encoded for the socket: from then on it may have run. */
  private volatile boolean written;

  private Call(
      LettuceBackend backend, ScriptCall call, CommandType type, CommandArgs<String, String> args) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8), args));
    this.backend = backend;
    this.call = call;
  }

  /** A command without arguments; the script only names it. */
  static Call bare(LettuceBackend backend, ScriptCall call, CommandType type) {
    return new Call(backend, call, type, new CommandArgs<>(StringCodec.UTF8));
  }

  static Call evalsha(LettuceBackend backend, ScriptCall call) {
    return new Call(backend, call, CommandType.EVALSHA, args(call, call.script().sha1()));
  }

  private static CommandArgs<String, String> args(ScriptCall call, String script) {
    CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add(script);
    return args.add(call.keys().size()).addKeys(call.keys()).addValues(call.args());
  }

  /** Ends in time by itself, where no thread waits that would see to it. */
  CompletableFuture<List<Object>> limited() {
    return orTimeout(call.timeout().toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void encode(ByteBuf buffer) {
    written = true;
    backend.ioThread = Thread.currentThread();
    super.encode(buffer);
  }

  /** The reply has come; it may find that the call was given up. */
  @Override
  public void complete() {
    String error = getOutput().getError();
    if (error == null) {
      complete(getOutput().get());
    } else if (getType() == CommandType.EVALSHA && error.startsWith("NOSCRIPT")) {
      sendInFull();
    } else {
      completeExceptionally(new BackendException(Outcome.REPLIED, error, null));
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // Each of the two ends the other.
  private void sendInFull() {
    Call eval = new Call(backend, call, CommandType.EVAL, args(call, call.script().source()));
    eval.handle((reply, e) -> e == null ? complete(reply) : completeExceptionally(e));
    whenComplete((reply, e) -> eval.cancel(false));
    backend.send(eval);
  }

  /** How Lettuce ends a command without a reply, and a timer one without an end. */
  @Override
  public boolean completeExceptionally(Throwable cause) {
    return super.completeExceptionally(cause instanceof BackendException ? cause : lost(cause));
  }

  /** How Lettuce, unlike a caller, cancels. */
  @Override
  public void cancel() {
    completeExceptionally(new CancellationException("the connection was closed"));
  }

  private BackendException lost(Throwable cause) {
    boolean late = cause instanceof TimeoutException;
    // A timer may come while the I/O thread is about to write.
    boolean perhaps = written || late || cause instanceof RedisCommandTimeoutException;
    Outcome outcome = perhaps ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED;
    String what = perhaps ? ": no answer: " : ": not sent: ";
    String why = late ? "waited for " + call.timeout() : cause.getMessage();
    return new BackendException(outcome, backend + ": " + call.script().name() + what + why, cause);
  }
}
