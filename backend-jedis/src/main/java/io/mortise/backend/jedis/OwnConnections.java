package io.mortise.backend.jedis;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.ChangingCredentials.Answer;
import io.mortise.backend.support.RedisAddress;
import io.mortise.spi.Credentials;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.PooledObjectFactory;
import org.apache.commons.pool2.PooledObjectState;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Protocol.Keyword;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * Makes the connections of a pool that belongs to a backend, and looks at one that has rested
 * before the pool lends it. A server or a load balancer may have closed it meanwhile. A read of a
 * millisecond shows that, and costs no round trip. The pool's evictor closes connections that rest
 * for longer than a minute, before a load balancer forgets them.
 *
 * @param sockets makes the sockets
 * @param greeting makes a connection of a socket, and introduces it to the server
 */
record OwnConnections(JedisSocketFactory sockets, Function<JedisSocketFactory, Connection> greeting)
    implements PooledObjectFactory<Connection> {
  /** Set while the calling thread must open no connection: it is a caller's, and has a deadline. */
  static final ThreadLocal<Boolean> OPENS_NONE = new ThreadLocal<>();

  /** The pool had no open connection for a thread that must open none. */
  static final class NoneOpenException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoneOpenException() {
      super("no open connection", null, false, false);
    }
  }

  /** A server closes no connection after a shorter rest. */
  private static final Duration REST = Duration.ofMillis(300);

  /** The connections of an application's own settings. Jedis introduces them. */
  static OwnConnections of(JedisSocketFactory sockets, JedisClientConfig settings) {
    return new OwnConnections(sockets, socket -> new Connection(socket, settings));
  }

  /** The same with credentials that change. */
  static OwnConnections of(
      JedisSocketFactory sockets, JedisClientConfig settings, ChangingCredentials.User user) {
    return new OwnConnections(
        sockets, socket -> new RenewedConnection(socket, settings, user, user.latest()));
  }

  /** The connections of a URI. They open in one round trip. */
  static OwnConnections of(
      JedisSocketFactory sockets, RedisAddress address, String name, boolean knowsHello) {
    List<CommandArguments> words = words(address, address.credentials(), name, knowsHello);
    return new OwnConnections(sockets, socket -> greeted(new Connection(socket), words));
  }

  /** The same with credentials that change. Each connection asks for them. */
  static OwnConnections of(
      JedisSocketFactory sockets,
      RedisAddress address,
      String name,
      boolean knowsHello,
      ChangingCredentials.User credentials) {
    return new OwnConnections(
        sockets,
        socket -> {
          Answer answer = credentials.ask();
          Connection made = new RenewedConnection(socket, credentials, answer);
          return greeted(made, words(address, answer.credentials(), name, knowsHello));
        });
  }

  /** A password without a user goes before HELLO, because HELLO wants a user with it. */
  private static List<CommandArguments> words(
      RedisAddress address, @Nullable Credentials credentials, String name, boolean knowsHello) {
    List<CommandArguments> words = new ArrayList<>();
    CommandArguments hello = new CommandArguments(Command.HELLO).add("2");
    if (knowsHello && credentials != null && credentials.user() != null) {
      hello.add(Keyword.AUTH).add(credentials.user()).add(credentials.password());
    } else if (credentials != null) {
      words.add(RenewedConnection.auth(credentials));
    }
    CommandArguments naming = knowsHello ? hello : new CommandArguments(Command.CLIENT);
    words.add(naming.add(Keyword.SETNAME).add(name));
    if (address.database() > 0) {
      words.add(new CommandArguments(Command.SELECT).add(address.database()));
    }
    return words;
  }

  static ConnectionPoolConfig limits() {
    ConnectionPoolConfig limits = new ConnectionPoolConfig();
    limits.setTestOnBorrow(true);
    return limits;
  }

  /** Sends all words at once, and reads the replies. */
  private static Connection greeted(Connection connection, List<CommandArguments> words) {
    try {
      connection.connect();
      words.forEach(connection::sendCommand);
      List<Object> replies = connection.getMany(words.size());
      for (int i = 0; i < words.size(); i++) {
        boolean isName = words.get(i).getCommand() == Command.CLIENT; // which an ACL may refuse
        if (replies.get(i) instanceof JedisDataException refusal && !isName) {
          throw refusal;
        }
      }
      return connection;
    } catch (RuntimeException e) {
      Links.disconnect(connection);
      throw e;
    }
  }

  @Override
  public PooledObject<Connection> makeObject() {
    if (OPENS_NONE.get() != null) {
      throw new NoneOpenException();
    }
    OneSocket socket = new OneSocket(sockets);
    return new Lent(greeting.apply(socket), socket);
  }

  /** At a borrow it takes no round trip. The evictor has the time to send new credentials. */
  @Override
  public boolean validateObject(PooledObject<Connection> lent) {
    boolean isOpen = lent instanceof Lent one && (one.isFresh() || one.isOpen());
    if (isOpen && lent.getState() == PooledObjectState.EVICTION) {
      RenewedConnection.renewNow(lent.getObject()); // if it fails, the pool ends the connection
    }
    return isOpen;
  }

  @Override
  public void destroyObject(PooledObject<Connection> lent) {
    Links.disconnect(lent.getObject());
  }

  @Override
  public void activateObject(PooledObject<Connection> lent) {
    // It is as it was made.
  }

  @Override
  public void passivateObject(PooledObject<Connection> lent) {
    if (lent instanceof Lent one) {
      one.rests();
    }
  }

  /** The one socket of a connection. Jedis would make another one, and not introduce it. */
  private static final class OneSocket implements JedisSocketFactory {
    private final JedisSocketFactory sockets;
    private @Nullable Socket socket;

    OneSocket(JedisSocketFactory sockets) {
      this.sockets = sockets;
    }

    @Override
    public Socket createSocket() {
      if (socket != null) {
        throw new JedisConnectionException("the connection has ended");
      }
      socket = sockets.createSocket();
      return socket;
    }

    @Override
    public String toString() {
      return sockets.toString();
    }
  }

  /** A connection in the pool, and its socket. */
  private static final class Lent extends DefaultPooledObject<Connection> {
    private final OneSocket at;

    /** The pool's own time of a return is of a clock that may be set back. */
    private volatile long restsSince = System.nanoTime();

    Lent(Connection connection, OneSocket at) {
      super(connection);
      this.at = at;
    }

    void rests() {
      restsSince = System.nanoTime();
    }

    boolean isFresh() {
      return System.nanoTime() - restsSince < REST.toNanos();
    }

    /** Whether the server has neither closed the connection nor sent what nobody asked for. */
    boolean isOpen() {
      Socket socket = at.socket;
      if (socket == null) {
        return false;
      }
      try {
        socket.setSoTimeout(1);
        try {
          socket.getInputStream().read();
          return false;
        } catch (SocketTimeoutException e) {
          socket.setSoTimeout(getObject().getSoTimeout());
          return true;
        }
      } catch (IOException e) {
        return false;
      }
    }
  }
}
