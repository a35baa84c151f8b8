package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Recent;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A call, both as Lettuce's command and as its caller's future, which fails with a BackendException
 * only. Lettuce does not write a command that is done: so a call given up never runs later.
 */
final class Call extends AsyncCommand<String, String, List<Object>> {
  /** As the protocol has them: size and text. */
  private static final Recent<byte[]> WORDS =
      new Recent<>(word -> {
        String text = "$" + ByteBufUtil.utf8Bytes(word) + "\r\n" + word + "\r\n";
        return text.getBytes(StandardCharsets.UTF_8);
      });

  private final LettuceBackend backend;
  private final ScriptCall call;
  private final String script;

  /** Whether the command was encoded for the socket: from then on it may have run. */
  private volatile boolean written;

  /** {@code script} is the digest or the text, as the type wants it. */
  Call(LettuceBackend backend, ScriptCall call, CommandType type, String script) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8)));
    this.backend = backend;
    this.call = call;
    this.script = script;
  }

  /** Writes the words as they are, which Lettuce would wrap in an object each. */
  @Override
  public void encode(ByteBuf buffer) {
    written = true;
    backend.ioThread = Thread.currentThread();
    List<String> keys = call.keys();
    List<String> args = call.args();
    ByteBufUtil.writeAscii(buffer, "*" + (3 + keys.size() + args.size()) + "\r\n");
    Consumer<String> writer = word -> buffer.writeBytes(WORDS.of(word));
    writer.accept(getType().toString());
    writer.accept(script);
    writer.accept(String.valueOf(keys.size()));
    keys.forEach(writer);
    args.forEach(writer);
  }

  /** Waits without a timer of its own, whatever interrupts, and gives up at the deadline. */
  List<Object> await() {
    long deadline = System.nanoTime() + call.timeout().toNanos();
    boolean interrupted = false;
    while (!isDone()) {
      try {
        get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (TimeoutException e) {
        completeExceptionally(e);
      } catch (ExecutionException e) {
        break; // told below
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return PendingCall.await(this);
  }

  /** The reply has come; it may find that the call was given up. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // Each of two calls ends the other.
  public void complete() {
    String error = getOutput().getError();
    if (error == null) {
      complete(getOutput().get());
    } else if (getType() == CommandType.EVALSHA && error.startsWith("NOSCRIPT")) {
      Call eval = new Call(backend, call, CommandType.EVAL, call.script().source());
      eval.handle((reply, e) -> e == null ? complete(reply) : completeExceptionally(e));
      whenComplete((reply, e) -> eval.cancel(false));
      backend.send(eval);
    } else {
      completeExceptionally(new BackendException(Outcome.REPLIED, error, null));
    }
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
    String why = perhaps ? ": no answer: " : ": not sent: ";
    why += late ? "waited for " + call.timeout() : cause.getMessage();
    return new BackendException(outcome, backend + ": " + call.script().name() + why, cause);
  }
}
