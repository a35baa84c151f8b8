package io.mortise.backend.jedis;

import io.mortise.backend.support.InternCache;
import io.mortise.backend.support.PendingCall;
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
  private @Nullable Object reply;

  /** Whether the call was sent and has no reply yet. */
  private boolean sent;

  Attempt(ScriptCall call, String endpoint) {
    super(call, endpoint);
  }

  /** Sends the call, unless it has ended or has its reply. */
  void send(Connection connection, InternCache<Rawable> words) {
    CommandArguments command = new CommandArguments(isByText() ? Command.EVAL : Command.EVALSHA);
    arguments(word -> command.add(words.of(word)));
    sent = sending();
    if (sent) {
      connection.sendCommand(command);
    }
  }

  /** Reads the reply, if the call was sent. Returns whether to send the call again. */
  boolean take(Connection connection) {
    boolean again = false;
    try {
      reply = sent ? Objects.requireNonNull(connection.getUnflushedObject(), "no reply") : reply;
    } catch (JedisDataException e) {
      again = again(e.getMessage());
      reply = again ? null : e;
    }
    return again;
  }

  /** Completes the call with its reply, if there is one. */
  void finish() {
    if (reply instanceof JedisDataException error) {
      refuse(error);
    } else if (reply != null) {
      answer(SafeEncoder.encodeObject(reply));
    }
  }
}
