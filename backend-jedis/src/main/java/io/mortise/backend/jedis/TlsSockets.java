package io.mortise.backend.jedis;

import io.mortise.backend.support.TlsFiles;
import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.IOUtils;

/**
 * Makes sockets that speak TLS over plain ones. Each has the certificates that the files had when
 * it was made. The server's certificate must name the server's host.
 *
 * @param plain makes the sockets below
 * @param server the server's host and port
 * @param files the certificates
 */
record TlsSockets(JedisSocketFactory plain, HostAndPort server, TlsFiles files)
    implements JedisSocketFactory {
  @Override
  public Socket createSocket() {
    SSLSocketFactory layer = files.context().getSocketFactory();
    Socket below = plain.createSocket();
    try {
      SSLSocket socket =
          (SSLSocket) layer.createSocket(below, server.getHost(), server.getPort(), true);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      return socket;
    } catch (IOException e) {
      IOUtils.closeQuietly(below);
      throw new JedisConnectionException("no TLS to " + server, e);
    }
  }
}
