package io.mortise.backend.jedis;

import io.mortise.backend.support.PendingCall;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/** A call on its way through one connection: handed to it once, or twice by NOSCRIPT. */
final class Attempt extends PendingCall {
  private @Nullable Object reply;

  Attempt(ScriptCall call, String endpoint) {
    super(call, endpoint);
  }

  /** Whether it was sent; not if it has ended. */
  boolean send(Connection connection) {
    List<String> words = words();
    CommandArguments command = new CommandArguments(Command.valueOf(words.get(0)));
    command.addObjects(words.subList(1, words.size()));
    boolean sends = sending();
    if (sends) {
      connection.sendCommand(command);
    }
    return sends;
  }

  /** Keeps the reply. Whether to send again. */
  boolean take(Object raw) {
    boolean again = raw instanceof JedisDataException error && again(error.getMessage());
    reply = again ? null : Objects.requireNonNull(raw, "a script replies");
    return again;
  }

  /** Ends it with the reply, if there is one. */
  void finish() {
    if (reply instanceof JedisDataException error) {
      refuse(error);
    } else if (reply != null) {
      answer(SafeEncoder.encodeObject(reply));
    }
  }
}
