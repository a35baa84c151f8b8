package io.mortise.backend.jedis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Makes the sockets of one pool as Jedis' own factory does, and knows those that are open. So its
 * end can close all of them. Jedis itself makes the sockets of an application's settings with TLS,
 * because what it checks of a certificate depends on its version. Such a socket is known once it is
 * connected. Thread-safe.
 */
abstract class OwnSockets implements JedisSocketFactory {
  private final HostAndPort server;
  private final Set<Socket> made = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private OwnSockets(HostAndPort server) {
    this.server = server;
  }

  static OwnSockets of(HostAndPort server, int timeoutMillis) {
    return new Plain(server, null, timeoutMillis, timeoutMillis);
  }

  static OwnSockets of(HostAndPort server, JedisClientConfig settings) {
    return settings.isSsl() || settings.getSslOptions() != null
        ? new OfJedis(server, settings)
        : new Plain(
            server,
            settings.getHostAndPortMapper(),
            settings.getConnectionTimeoutMillis(),
            settings.getSocketTimeoutMillis());
  }

  /** Makes a socket known. */
  <S extends Socket> S known(S socket) throws IOException {
    made.removeIf(Socket::isClosed);
    made.add(socket);
    if (closed) {
      IOUtils.closeQuietly(socket);
      throw new IOException("the backend is closed");
    }
    return socket;
  }

  @Override
  public Socket createSocket() {
    try {
      return create(server);
    } catch (IOException e) {
      throw new JedisConnectionException("Failed to connect to " + server + '.', e);
    }
  }

  abstract Socket create(HostAndPort server) throws IOException;

  final void close() {
    closed = true;
    made.forEach(IOUtils::closeQuietly);
  }

  @Override
  public String toString() {
    return server.toString();
  }

  /** Sockets without TLS. They are known before they connect. */
  private static final class Plain extends OwnSockets {
    private final @Nullable HostAndPortMapper mapper;
    private final int connectMillis;
    private final int readMillis;

    Plain(
        HostAndPort server, @Nullable HostAndPortMapper mapper, int connectMillis, int readMillis) {
      super(server);
      this.mapper = mapper;
      this.connectMillis = connectMillis;
      this.readMillis = readMillis;
    }

    @Override
    Socket create(HostAndPort server) throws IOException {
      HostAndPort mapped = mapper == null ? null : mapper.getHostAndPort(server);
      HostAndPort place = mapped == null ? server : mapped;
      IOException last = new IOException("no address of " + place.getHost());
      List<InetAddress> addresses = Arrays.asList(InetAddress.getAllByName(place.getHost()));
      Collections.shuffle(addresses); // the first one may be silent for ever
      for (InetAddress each : addresses) {
        Socket socket = known(new Socket());
        try {
          connect(socket, new InetSocketAddress(each, place.getPort()));
          return socket;
        } catch (IOException e) {
          IOUtils.closeQuietly(socket);
          last = e;
        }
      }
      throw last;
    }

    private void connect(Socket socket, InetSocketAddress address) throws IOException {
      socket.setReuseAddress(true);
      socket.setKeepAlive(true);
      socket.setTcpNoDelay(true);
      socket.setSoLinger(true, 0);
      socket.connect(address, connectMillis);
      socket.setSoTimeout(readMillis);
    }
  }

  /** Sockets of Jedis' own factory. */
  private static final class OfJedis extends OwnSockets {
    private final JedisSocketFactory factory;

    OfJedis(HostAndPort server, JedisClientConfig settings) {
      super(server);
      factory = new DefaultJedisSocketFactory(server, settings);
    }

    @Override
    Socket create(HostAndPort server) throws IOException {
      return known(factory.createSocket());
    }
  }
}
