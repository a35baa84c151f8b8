package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.mortise.backend.support.Protocol;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A command that ends its link if it fails after it was written, without a reply. Thread-safe.
 *
 * <p>Lettuce matches replies to commands by their order. After an error on the I/O thread, for
 * example because memory is short, it takes one command off its queue and leaves the link open. If
 * it has lost more or fewer replies than that, each later call gets the reply of another.
 *
 * @param <T> the type of the reply
 */
class LinkedCommand<T> extends AsyncCommand<String, String, T> {
  private volatile @Nullable Channel link;

  /** Whether the command was encoded for the socket. From then on it may have run. */
  private volatile boolean written;

  LinkedCommand(RedisCommand<String, String, T> command) {
    super(command);
  }

  /** Notes the link that the command is about to be written to. */
  final void goesTo(Channel channel) {
    link = channel;
  }

  /**
   * Notes that the command is encoded. After a reconnect, Lettuce 6.6 writes a command without a
   * reply again. Such a command fails, and leaves its link, which has ended before. A PING takes
   * its place, because Lettuce waits for a reply.
   *
   * @return whether to write the command
   */
  final boolean isFirstWrite(ByteBuf buffer) {
    boolean first = !written;
    written = true;
    if (!first) {
      link = null;
      completeExceptionally(new RedisException("the connection was lost"));
      Protocol.writePing(buffer::writeBytes);
    }
    return first;
  }

  final boolean isWritten() {
    return written;
  }

  /** Ends the link, unless the failure is a reply or comes from a timer. Lettuce reconnects. */
  @SuppressWarnings("FutureReturnValueIgnored") // ends unwatched
  final void endLink(Throwable failure) {
    Channel used = link;
    if (used != null
        && !(failure instanceof TimeoutException)
        && !(failure instanceof RedisCommandExecutionException)) {
      used.close();
    }
  }

  /** Fails the command by what is certain, and leaves its link alone. */
  final boolean fail(Throwable known) {
    return super.completeExceptionally(known);
  }

  /** Called by Lettuce for a command without a reply. */
  @Override
  public boolean completeExceptionally(Throwable cause) {
    endLink(cause);
    return fail(cause);
  }
}
