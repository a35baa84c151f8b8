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

  /** Whether the command was encoded for the socket: from then on it may have run. */
  private volatile boolean written;

  /** By digest or by text, as the type says. */
  Call(LettuceBackend backend, ScriptCall call, CommandType type) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8)));
    this.backend = backend;
    this.call = call;
  }

  /** Writes the words as they are, which Lettuce would wrap in an object each. */
  @Override
  public void encode(ByteBuf buffer) {
    written = true;
    backend.ioThread = Thread.currentThread();
    int words = 3 + call.keys().size() + call.args().size();
    ByteBufUtil.writeAscii(buffer, "*" + words + "\r\n");
    Consumer<String> writer = word -> buffer.writeBytes(WORDS.of(word));
    writer.accept(getType().toString());
    PendingCall.arguments(call, getType() == CommandType.EVAL, writer);
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
    return super.completeExceptionally(cause instanceof BackendException ? cause : lost(cause));
  }

  /** How Lettuce, unlike a caller, cancels. */
  @Override
  public void cancel() {
    completeExceptionally(new CancellationException("the connection was closed"));
  }

  private BackendException lost(Throwable cause) {
    // A timer may come while the I/O thread is about to write.
    boolean timer =
        cause instanceof TimeoutException || cause instanceof RedisCommandTimeoutException;
    return PendingCall.failure(call, backend.toString(), written || timer, cause);
  }
}
