package io.mortise.backend.jedis;

import io.mortise.backend.support.Subscriber;
import java.util.Arrays;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.SafeEncoder;

/**
 * The message connection. It must not send after its end: Jedis would connect it again.
 *
 * <p>With credentials that change it uses the newer protocol if the server has it, because the
 * older one allows no AUTH beside subscriptions. Replies to SUBSCRIBE and messages are the same in
 * both.
 */
final class MessageLink implements Subscriber.Link {
  private final Connection connection;
  private final boolean mayAuth;

  /** The client's limit of the wait for a reply. */
  private final int patience;

  MessageLink(Connection connection) {
    this.connection = connection;
    patience = connection.getSoTimeout();
    mayAuth = connection instanceof RenewedConnection && hasNewerProtocol(connection);
    connection.setSoTimeout(0);
  }

  private static boolean hasNewerProtocol(Connection connection) {
    try {
      connection.sendCommand(Command.HELLO, "3");
      Object unused = connection.getOne();
      return true;
    } catch (JedisDataException e) {
      return false;
    }
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
  public boolean isOfReplica() {
    connection.setSoTimeout(patience);
    try {
      return "replica".equals(Links.facts(connection, took -> {}).get("role"));
    } catch (JedisDataException e) {
      return false; // it does not say
    } finally {
      connection.setSoTimeout(0);
    }
  }

  @Override
  public boolean renew() {
    if (!(connection instanceof RenewedConnection renewed) || !renewed.mayRenew()) {
      return true;
    }
    if (mayAuth && renewed.sendAuth()) {
      renewed.getMany(0); // flushes
    }
    return mayAuth;
  }

  @Override
  public Object read() {
    try {
      Object said = SafeEncoder.encodeObject(connection.getUnflushedObject());
      if ("OK".equals(said) && connection instanceof RenewedConnection renewed) {
        renewed.heardAuth(null);
      }
      return said;
    } catch (JedisDataException e) {
      if (connection instanceof RenewedConnection renewed && isOfAuth(e)) {
        renewed.heardAuth(e);
        return "AUTH";
      }
      return e;
    }
  }

  /** Whether the error is one of AUTH. Other commands of this connection have other errors. */
  private static boolean isOfAuth(JedisDataException error) {
    return String.valueOf(error.getMessage()).matches("(?s)(WRONGPASS|ERR AUTH)\\b.*");
  }

  @Override
  public void close() {
    Links.disconnect(connection);
  }
}
