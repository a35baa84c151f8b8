package io.mortise.backend.jedis;

import io.mortise.backend.support.InternCache;
import io.mortise.backend.support.PendingCall;
import io.mortise.backend.support.ServerError;
import io.mortise.spi.ScriptCall;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/** A call on its way through one connection. It is sent once, or twice after a NOSCRIPT. */
final class Attempt extends PendingCall {
  /** Whether the call goes to the new node of a slot that moves. */
  private final boolean asking;

  private @Nullable Object reply;

  /** The number of replicas that have what the script wrote, or the server's error. */
  private @Nullable Object replicas;

  /** Whether the call was sent and has no reply yet. */
  private boolean sent;

  Attempt(ScriptCall call, String endpoint) {
    this(call, endpoint, false);
  }

  /** The call of a slot that moves goes as text: ASKING counts for one command. */
  Attempt(ScriptCall call, String endpoint, boolean asking) {
    super(call, endpoint, asking);
    this.asking = asking;
  }

  /** Sends the call, unless it has ended or has its reply. */
  void send(Connection connection, InternCache<Rawable> words) {
    CommandArguments command = new CommandArguments(isByText() ? Command.EVAL : Command.EVALSHA);
    arguments(word -> command.add(words.of(word)));
    sent = sending();
    if (sent) {
      if (asking) {
        connection.sendCommand(Command.ASKING);
      }
      connection.sendCommand(command);
    }
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
