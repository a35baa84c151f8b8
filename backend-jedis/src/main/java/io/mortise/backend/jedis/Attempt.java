package io.mortise.backend.jedis;

import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.ServerError;
import io.mortise.spi.ScriptCall;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.SafeEncoder;

/** A call on its way through one connection. It is sent once, or twice after a NOSCRIPT. */
final class Attempt extends PendingCall {
  /** Whether the call goes to the new node of a slot that moves. */
  private final boolean asking;

  private @Nullable Object reply;

  /** The number of replicas that have what the script wrote, or the server's error. */
  private @Nullable Object replicas;

  private final Links links;

  /** Whether the call was sent and has no reply yet. */
  private boolean sent;

  private long sentAt;

  Attempt(ScriptCall call, String endpoint, Links links) {
    this(call, endpoint, links, false);
  }

  /** The call of a slot that moves goes as text: ASKING counts for one command. */
  Attempt(ScriptCall call, String endpoint, Links links, boolean asking) {
    super(call, endpoint, asking);
    this.asking = asking;
    this.links = links;
  }

  /**
   * Sends the call, unless it has ended, has its reply, or cannot have it in time.
   *
   * @param addition adds a word to a command
   */
  void send(Connection connection, BiConsumer<CommandArguments, String> addition) {
    CommandArguments command = new CommandArguments(isByText() ? Command.EVAL : Command.EVALSHA);
    arguments(command, addition);
    sent = false;
    if (reply == null) {
      refuseIfLate();
      sent = sending();
    }
    if (sent) {
      sentAt = System.nanoTime();
      if (asking) {
        connection.sendCommand(Command.ASKING);
      }
      connection.sendCommand(command);
    }
  }

  /**
   * Fails the call if its time is almost over because it had to wait. A script that the server does
   * not know is sent all the same, or else the server would never know it.
   */
  private void refuseIfLate() {
    long roundTrip = links.roundTrip.millis();
    if (!isByText() && millisLeft() < roundTrip && roundTrip < timeout().toMillis()) {
      fail(
          new JedisException(
              "it waited for a connection, and a round trip takes longer (%d ms) than it has left"
                  .formatted(roundTrip),
              new TimeoutException()));
    }
  }

  /** Whether the call goes over a connection with others, because the server is far. */
  boolean mayShare() {
    return acks() == null && !asking && links.roundTrip.isFar(timeout());
  }

  /** Whether the call was sent just now. */
  boolean isSent() {
    return sent;
  }

  /** For how long the call has been out (ns). */
  long age() {
    return System.nanoTime() - sentAt;
  }

  @Override
  protected Throwable whyUnsent(Throwable reason) {
    boolean isOfPool =
        reason instanceof TimeoutException
            || reason instanceof IOException
            || reason instanceof IllegalStateException; // the pool is closed
    return isOfPool ? links.whyUnsent(reason) : reason;
  }

  /** Reads the reply, if the call was sent. Returns whether to send the call again. */
  boolean take(Connection connection) {
    boolean again = false;
    JedisDataException notAsked = sent && asking ? asked(connection) : null;
    try {
      reply = sent ? Objects.requireNonNull(connection.getUnflushedObject(), "no reply") : reply;
    } catch (JedisDataException e) {
      again = again(e.getMessage());
      boolean wrongNode = ServerError.of(String.valueOf(e.getMessage())) == ServerError.MOVED;
      reply = again ? null : notAsked != null && wrongNode ? notAsked : e;
    }
    return again;
  }

  /** Whether the server refused the call because it is a replica. */
  boolean metReplica() {
    return reply instanceof JedisDataException error
        && ServerError.isOfReplica(String.valueOf(error.getMessage()));
  }

  /** Whether the call has a reply that is no error. */
  boolean hasWorked() {
    return reply != null && !(reply instanceof JedisDataException);
  }

  /** Whether the call was sent just now, and waits for replicas. */
  boolean waitsForReplicas() {
    return sent && acks() != null;
  }

  /** Takes the reply to the WAIT behind this call, unless the call is to be sent again. */
  void counted(Object count) {
    if (waitsForReplicas() && reply != null) {
      replicas = count;
    }
  }

  /** Takes the reply to ASKING: null, or the reason why the call will be refused too. */
  private static @Nullable JedisDataException asked(Connection connection) {
    try {
      connection.getUnflushedObject();
      return null;
    } catch (JedisDataException e) {
      return e;
    }
  }

  /**
   * Completes the call with its reply, if there is one. A reply without the number of replicas that
   * the call asked for is none: the caller would take another number for it.
   */
  void finish() {
    if (reply instanceof JedisDataException error) {
      refuse(error);
    } else if (reply != null && replicas instanceof JedisDataException error) {
      refuse(error);
    } else if (reply != null && replicas instanceof Long count) {
      complete(counted(SafeEncoder.encodeObject(reply), count));
    } else if (reply != null && acks() == null) {
      answer(SafeEncoder.encodeObject(reply));
    }
  }
}
