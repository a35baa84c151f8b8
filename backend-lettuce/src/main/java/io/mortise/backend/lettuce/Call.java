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
 * A call, both as Lettuce's command and as its caller's future. It fails only with a {@link
 * BackendException}. Lettuce does not write a command that is done, so a call that was given up
 * never runs later.
 */
final class Call extends AsyncCommand<String, String, List<Object>> {
  private final LettuceBackend backend;
  private final ScriptCall call;

  /** Whether the command was encoded for the socket. From then on it may have run. */
  private volatile boolean written;

  /** The type decides between digest ({@code EVALSHA}) and text ({@code EVAL}). */
  Call(LettuceBackend backend, ScriptCall call, CommandType type) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8)));
    this.backend = backend;
    this.call = call;
  }

  /**
   * Writes the words directly, without the object that Lettuce makes for each argument.
   *
   * <p>After a reconnect, Lettuce 6.6 writes a command without a reply again. The call may have
   * run, so it fails (B2). A PING takes its place, because Lettuce waits for a reply.
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

  /** Takes the reply. It has no effect on a call that was given up. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // each of the two calls ends the other
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

  /** Called by Lettuce for a command without a reply, and by a timer at the deadline. */
  @Override
  public boolean completeExceptionally(Throwable cause) {
    // The timer may run while the I/O thread is about to write.
    boolean sent = written || cause instanceof TimeoutException;
    return super.completeExceptionally(PendingCall.failure(call, backend.toString(), sent, cause));
  }

  /** Called by Lettuce alone. A caller cancels with {@code cancel(boolean)}. */
  @Override
  public void cancel() {
    completeExceptionally(new CancellationException("the connection was closed"));
  }
}
