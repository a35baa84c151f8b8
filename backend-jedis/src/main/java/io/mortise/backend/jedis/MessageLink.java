package io.mortise.backend.jedis;

import io.mortise.backend.support.Subscriber;
import java.util.Arrays;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/** The message connection. It must not send after its end: Jedis would connect it again. */
record MessageLink(Connection connection) implements Subscriber.Link {
  MessageLink {
    connection.setSoTimeout(0);
  }

  @Override
  public boolean isOpen() {
    return !connection.isBroken();
  }

  @Override
  public void send(String... words) {
    String[] args = Arrays.copyOfRange(words, 1, words.length);
    connection.sendCommand(Command.valueOf(words[0]), args);
    connection.getMany(0); // reads nothing, but flushes
  }

  @Override
  public Object read() {
    try {
      return SafeEncoder.encodeObject(connection.getUnflushedObject());
    } catch (JedisDataException e) {
      return e;
    }
  }

  @Override
  public void close() {
    Links.disconnect(connection);
  }
}
