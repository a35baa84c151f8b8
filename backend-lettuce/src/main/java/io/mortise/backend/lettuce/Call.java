package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.Protocol;
import io.mortise.backend.support.ServerError;
import io.mortise.backend.support.Timeouts;
import io.mortise.spi.BackendException;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call, both as Lettuce's command and as its caller's future. It fails only with a {@link
 * BackendException}. Lettuce does not write a command that is done, so a call that was given up
 * never runs later.
 */
final class Call extends LinkedCommand<List<Object>> {
  private final LettuceBackend backend;
  private final ScriptCall call;

  /** The WAIT behind the call, if it waits for replicas. */
  private @Nullable Wait wait;

  /** The ASKING before the call, if its slot is on the way to the node. */
  private @Nullable RedisCommand<String, String, ?> asking;

  /** The call once more, as text. Nothing ran before it. */
  private volatile @Nullable Call again;

  /** The type decides between digest ({@code EVALSHA}) and text ({@code EVAL}). */
  Call(LettuceBackend backend, ScriptCall call, CommandType type) {
    super(new Command<>(type, new NestedMultiOutput<>(StringCodec.UTF8)));
    this.backend = backend;
    this.call = call;
  }

  /** Whether the call waits for replicas. */
  boolean asksReplicas() {
    return call.acks() != null;
  }

  /** The replicas that the call waits for. */
  ReplicaAcks acks() {
    return Objects.requireNonNull(call.acks(), "acks");
  }

  /** Gives the call the WAIT that is sent behind it. */
  void waitsFor(Wait behind) {
    wait = behind;
  }

  /** Gives the call the ASKING that is sent before it. */
  void isBehind(RedisCommand<String, String, ?> before) {
    asking = before;
  }

  /** Adds the call to commands that are sent together, with the ASKING before it. */
  void addTo(List<? super RedisCommand<String, String, ?>> commands) {
    if (asking != null) {
      commands.add(asking);
    }
    commands.add(this);
  }

  /** This call, which now fails at its deadline. */
  CompletableFuture<List<Object>> inTime() {
    return Timeouts.fail(this, call.timeout().toNanos());
  }

  /**
   * Writes the words directly, without the object that Lettuce makes for each argument. It does so
   * once, as the call may have run (B2).
   */
  @Override
  public void encode(ByteBuf buffer) {
    if (isFirstWrite(buffer)) {
      Protocol.write(call, getType() == CommandType.EVAL, buffer::writeBytes);
    }
  }

  /** Takes the reply. It has no effect on a call that was given up. */
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // each of the two calls ends the other
  public void complete() {
    String error = getOutput().getError();
    if (error == null && wait != null) {
      wait.handle((replicas, e) -> e == null ? counted(replicas) : notCounted(e));
    } else if (error == null) {
      complete(getOutput().get());
    } else if (getType() == CommandType.EVALSHA
        && ServerError.of(error) == ServerError.UNKNOWN_SCRIPT) {
      Call eval = new Call(backend, call, CommandType.EVAL);
      again = eval;
      eval.handle((reply, e) -> e == null ? complete(reply) : fail(e));
      whenComplete((reply, e) -> eval.cancel(false));
      backend.send(eval);
    } else {
      fail(ServerError.failure(reason(error), null));
      if (ServerError.isOfReplica(error)) {
        backend.demoted = true;
      }
    }
  }

  /** A node that refused ASKING says of the call only that its slot is elsewhere. */
  private String reason(String error) {
    String first = asking == null ? null : asking.getOutput().getError();
    return first != null && ServerError.of(error) == ServerError.MOVED ? first : error;
  }

  private boolean counted(Long replicas) {
    return complete(PendingCall.counted(getOutput().get(), replicas));
  }

  /** The server refused WAIT, or the connection broke before its reply. */
  private boolean notCounted(Throwable e) {
    return e instanceof RedisCommandExecutionException
        ? fail(ServerError.failure(String.valueOf(e.getMessage()), e))
        : completeExceptionally(e);
  }

  /** Called by Lettuce for a command without a reply, and by a timer at the deadline. */
  @Override
  public boolean completeExceptionally(Throwable cause) {
    endLink(cause);
    // The timer may run while the I/O thread is about to write.
    boolean sent = isWritten() || (cause instanceof TimeoutException && !backend.withdraw(this));
    Throwable why = sent ? cause : backend.whyUnsent(cause);
    return fail(PendingCall.failure(call, backend.toString(), sent, why));
  }

  /** Its caller has no more patience. The call fails, unless it has left the line for a link. */
  void giveUp(String why) {
    Call second = again;
    if (backend.withdraw(second == null ? this : second)) {
      Throwable cause = backend.whyUnsent(new IOException(why));
      fail(PendingCall.failure(call, backend.toString(), false, cause));
    }
  }

  /** Called by Lettuce alone. A caller cancels with {@code cancel(boolean)}. */
  @Override
  public void cancel() {
    completeExceptionally(new CancellationException("the connection was closed"));
  }
}
