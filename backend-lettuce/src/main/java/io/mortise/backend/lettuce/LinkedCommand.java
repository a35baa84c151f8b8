package io.mortise.backend.lettuce;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
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

  LinkedCommand(RedisCommand<String, String, T> command) {
    super(command);
  }

  /** Notes the link that the command is about to be written to. */
  final void goesTo(Channel channel) {
    link = channel;
  }

  /** The link has ended before, and the command comes to the next one without being written. */
  final void leaveLink() {
    link = null;
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
