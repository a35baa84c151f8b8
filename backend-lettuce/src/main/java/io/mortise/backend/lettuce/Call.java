package io.mortise.backend.lettuce;

import io.lettuce.core.RedisException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Protocol;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CancellationException;
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

  /** By digest or by text, as the type says. */
  Call(LettuceBackend backend, ScriptCall call, CommandType type) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8)));
    this.backend = backend;
    this.call = call;
  }

  /**
   * Writes the words as they are, which Lettuce would wrap in an object each. Lettuce 6.6 writes a
   * command that had no reply again when it has reconnected. A call may have run, so it fails (B2),
   * and a PING takes its place, since Lettuce waits for a reply.
   */
  @Override
  public void encode(ByteBuf buffer) {
    if (written) {
      completeExceptionally(new RedisException("the connection was lost"));
      Protocol.writePing(buffer::writeBytes);
    } else {
      written = true;
      backend.ioThread = Thread.currentThread();
      Protocol.write(call, getType() == CommandType.EVAL, buffer::writeBytes);
    }
  }

  /** The reply has come; it may find that the call was given up. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // Each of two calls ends the other.
  public void complete() {
    String error = getOutput().getError();
    if (error == null) {
      complete(getOutput().get());
    } else if (getType() == CommandType.EVALSHA && error.startsWith("NOSCRIPT")) {
      Call eval = new Call(backend, call, CommandType.EVAL);
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
    // A timer may come while the I/O thread is about to write.
    boolean sent = written || cause instanceof TimeoutException;
    return super.completeExceptionally(PendingCall.failure(call, backend.toString(), sent, cause));
  }

  /** How Lettuce, unlike a caller, cancels. */
  @Override
  public void cancel() {
    completeExceptionally(new CancellationException("the connection was closed"));
  }
}
