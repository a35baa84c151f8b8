package io.mortise.backend.jedis;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.CredentialFault;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.util.IOUtils;

/**
 * The connections to one server that belong to a backend. Its end closes every socket, also one
 * that is in use or just connects, so that no thread waits for the server any longer.
 */
final class OwnPool extends ConnectionPool {
  private final Runnable endSockets;
  private final @Nullable Renewal renewal;

  private OwnPool(
      OwnConnections connections,
      ConnectionPoolConfig limits,
      Runnable endSockets,
      @Nullable Renewal renewal) {
    super(connections, limits);
    this.endSockets = endSockets;
    this.renewal = renewal;
  }

  static OwnPool of(
      RedisAddress address,
      RedisSettings settings,
      @Nullable ChangingCredentials credentials,
      boolean knowsHello) {
    BackendConfig config = settings.config();
    HostAndPort server = new HostAndPort(address.host(), address.port());
    Sockets plain = new Sockets(server, Math.toIntExact(config.commandTimeout().toMillis()));
    JedisSocketFactory outer =
        address.tls() ? new TlsSockets(plain, server, settings.tls()) : plain;
    String name = config.clientName();
    Renewal renewal = credentials == null ? null : new Renewal(credentials, address.toString());
    OwnConnections made =
        renewal == null
            ? OwnConnections.of(outer, address, name, knowsHello)
            : renewal.known(OwnConnections.of(outer, address, name, knowsHello, renewal.user));
    return new OwnPool(made, OwnConnections.limits(), plain::close, renewal);
  }

  /** The pool of an application's own settings, whose provider says what changes. */
  static OwnPool of(
      HostAndPort server,
      JedisClientConfig settings,
      Supplier<RedisCredentials> provider,
      ConnectionPoolConfig limits) {
    Duration timeout = Duration.ofMillis(settings.getSocketTimeoutMillis());
    ChangingCredentials credentials =
        ChangingCredentials.ofClient(
            "the credentials provider of the Jedis settings", () -> asked(provider), timeout);
    Renewal renewal = new Renewal(credentials, server.toString());
    try {
      ChangingCredentials.Answer unused = renewal.user.ask(); // what the first connection has
    } catch (CredentialFault e) {
      renewal.user.close();
      throw RedisServers.refusal(server.toString(), e);
    }
    return new OwnPool(
        renewal.known(OwnConnections.of(server, settings, renewal.user)),
        limits,
        () -> {},
        renewal);
  }

  /** An empty password stands for none. */
  private static Credentials asked(Supplier<RedisCredentials> provider) {
    if (provider instanceof RedisCredentialsProvider prepared) {
      prepared.prepare();
      try {
        return credentials(prepared.get());
      } finally {
        prepared.cleanUp();
      }
    }
    return credentials(provider.get());
  }

  private static Credentials credentials(@Nullable RedisCredentials given) {
    return given == null || given.getPassword() == null
        ? Credentials.of("")
        : new Credentials(given.getUser(), new String(given.getPassword()));
  }

  /** Sets what is done after each look at the supplier of credentials, if there is one. */
  void atLook(Runnable work) {
    if (renewal != null) {
      renewal.work = work;
    }
  }

  /**
   * Sends new credentials over the connections that rest, if there are any. A new connection tries
   * them first: one that is being renewed cannot be lent, and a call would open another in vain.
   */
  void renew() {
    if (renewal == null || !renewal.isDue()) {
      return;
    }
    try {
      Links.disconnect(getFactory().makeObject().getObject());
      evict();
    } catch (JedisDataException e) {
      renewal.user.refused(String.valueOf(e.getMessage()));
    } catch (Exception e) {
      // The pool is closed, or the server is away. The next look tries again.
    }
  }

  @Override
  public void close() {
    endSockets.run();
    super.close();
    if (renewal != null) {
      renewal.user.close();
    }
  }

  /** The use of a supplier of credentials. */
  private static final class Renewal {
    final ChangingCredentials.User user;
    volatile Runnable work = () -> {};
    private final Set<Connection> living = ConcurrentHashMap.newKeySet();

    Renewal(ChangingCredentials credentials, String server) {
      user = credentials.join(server, () -> work.run());
    }

    /** The same connections, which are known here while they live. */
    OwnConnections known(OwnConnections made) {
      return new OwnConnections(
          made.sockets(),
          made.greeting()
              .andThen(connection -> {
                living.add(connection);
                return connection;
              }));
    }

    /** Whether there are new credentials that a living connection does not have. */
    boolean isDue() {
      living.removeIf(each -> each.isBroken() || !each.isConnected());
      return living.stream().anyMatch(RenewedConnection::mayRenew);
    }
  }

  /**
   * Makes plain sockets, with the settings of Jedis' own factory, and knows those that are open.
   */
  private static final class Sockets implements JedisSocketFactory {
    private final HostAndPort server;
    private final int timeout;
    private final Set<Socket> made = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Sockets(HostAndPort server, int timeout) {
      this.server = server;
      this.timeout = timeout;
    }

    @Override
    public Socket createSocket() {
      made.removeIf(Socket::isClosed);
      IOException last = new IOException("the backend is closed");
      try {
        for (InetAddress each : InetAddress.getAllByName(server.getHost())) {
          Socket socket = new Socket();
          made.add(socket);
          try {
            connect(socket, each);
            return socket;
          } catch (IOException e) {
            IOUtils.closeQuietly(socket);
            last = e;
          }
        }
      } catch (IOException e) {
        last = e;
      }
      throw new JedisConnectionException("Failed to connect to " + server + '.', last);
    }

    private void connect(Socket socket, InetAddress host) throws IOException {
      if (closed) {
        throw new IOException("the backend is closed");
      }
      socket.setReuseAddress(true);
      socket.setKeepAlive(true);
      socket.setTcpNoDelay(true);
      socket.setSoLinger(true, 0);
      socket.connect(new InetSocketAddress(host, server.getPort()), timeout);
      socket.setSoTimeout(timeout);
    }

    void close() {
      closed = true;
      made.forEach(IOUtils::closeQuietly);
    }
  }
}
