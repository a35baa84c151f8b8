package io.mortise.backend.jedis;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.spi.Credentials;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A connection whose user and password change. The thread that has it sends AUTH by {@link
 * #sendAuth} when there are others, and reads the reply in its place by {@link #heardAuth}. A
 * connection that the server refuses keeps what it has, and asks again after the next look at the
 * supplier.
 */
final class RenewedConnection extends Connection {
  private final ChangingCredentials.User credentials;

  /** The AUTH commands without a reply. */
  private final Queue<Answer> sent = new ArrayDeque<>();

  private volatile Answer used;

  /** The look at the supplier after which AUTH was last sent. */
  private volatile int asked = -1;

  /**
   * @param answer what the connection is opened with
   */
  RenewedConnection(
      JedisSocketFactory sockets, ChangingCredentials.User credentials, Answer answer) {
    super(sockets);
    this.credentials = credentials;
    used = answer;
  }

  /** A connection that Jedis introduces, which may ask for something newer than the answer. */
  RenewedConnection(
      JedisSocketFactory sockets,
      JedisClientConfig settings,
      ChangingCredentials.User credentials,
      Answer answer) {
    super(sockets, settings);
    this.credentials = credentials;
    used = answer;
  }

  /** AUTH with a user and a password. */
  static CommandArguments auth(Credentials credentials) {
    CommandArguments auth = new CommandArguments(Command.AUTH);
    String user = credentials.user();
    return (user == null ? auth : auth.add(user)).add(credentials.password());
  }

  /** Whether there are new credentials that were not tried since the last look. */
  boolean mayRenew() {
    return credentials.latest().replaces(used) && asked != credentials.looks();
  }

  /** Whether a connection may be renewed. False for one whose credentials do not change. */
  static boolean mayRenew(Connection connection) {
    return connection instanceof RenewedConnection renewed && renewed.mayRenew();
  }

  /** Sends AUTH if there is something new. Does not flush. Returns whether a reply will come. */
  boolean sendAuth() {
    if (!mayRenew()) {
      return false;
    }
    asked = credentials.looks();
    Answer latest = credentials.latest();
    sendCommand(auth(latest.credentials()));
    synchronized (sent) {
      sent.add(latest);
    }
    return true;
  }

  /** Reads the reply to AUTH. */
  void readAuth() {
    try {
      Object unused = getUnflushedObject();
      heardAuth(null);
    } catch (JedisDataException e) {
      heardAuth(e);
    }
  }

  /** Takes the reply to the first AUTH without one: OK, or an error. */
  void heardAuth(@Nullable JedisDataException error) {
    Answer answer;
    synchronized (sent) {
      answer = sent.poll();
    }
    if (error != null) {
      credentials.refused(String.valueOf(error.getMessage()));
    } else if (answer != null) {
      used = answer;
      credentials.accepted();
    }
  }

  /** Sends AUTH and reads the reply, if there is something new. */
  static void renewNow(Connection connection) {
    if (connection instanceof RenewedConnection renewed && renewed.sendAuth()) {
      renewed.getMany(0); // flushes
      renewed.readAuth();
    }
  }
}
