package io.mortise.backend.jedis;

import io.mortise.backend.support.ChangingCredentials;
import io.mortise.backend.support.CredentialFault;
import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.RedisServers;
import io.mortise.backend.support.RedisSettings;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.Credentials;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultRedisCredentialsProvider;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisCredentialsProvider;
import redis.clients.jedis.authentication.AuthXManager;
import redis.clients.jedis.exceptions.JedisDataException;

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
    OwnSockets plain = OwnSockets.of(server, Math.toIntExact(config.commandTimeout().toMillis()));
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

  /**
   * The pool of an application's own settings. Jedis introduces its connections. If a provider of
   * the application says user and password, or a manager of tokens, living connections follow it.
   * Several pools may share the manager, so {@link #end(JedisClientConfig)} stops it.
   */
  static OwnPool of(HostAndPort server, JedisClientConfig settings, ConnectionPoolConfig limits) {
    OwnSockets sockets = OwnSockets.of(server, settings);
    AuthXManager tokens = settings.getAuthXManager();
    Supplier<RedisCredentials> provider =
        tokens == null ? settings.getCredentialsProvider() : started(tokens, server);
    if (provider == null || provider instanceof DefaultRedisCredentialsProvider) {
      return new OwnPool(OwnConnections.of(sockets, settings), limits, sockets::close, null);
    }
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
        renewal.known(OwnConnections.of(sockets, settings, renewal.user)),
        limits,
        sockets::close,
        renewal);
  }

  /** Waits for the first token, for as long as the manager's own limits let it. */
  private static AuthXManager started(AuthXManager tokens, HostAndPort server) {
    try {
      tokens.start();
      return tokens;
    } catch (RuntimeException e) {
      throw RedisServers.refusal(server.toString(), e);
    }
  }

  /** Stops the manager of tokens, if the settings have one. Jedis' own pool does the same. */
  static void end(JedisClientConfig settings) {
    AuthXManager tokens = settings.getAuthXManager();
    if (tokens != null) {
      tokens.stop();
    }
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
}
