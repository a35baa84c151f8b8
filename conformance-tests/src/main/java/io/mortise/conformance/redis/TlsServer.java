package io.mortise.conformance.redis;

import java.net.URI;
import java.util.List;

/**
 * A server with a TLS port. The server's certificate is for {@code 127.0.0.1} and nothing else. The
 * JVM's trust is set by system properties, so there should be one instance at a time. Not
 * thread-safe.
 */
public final class TlsServer implements AutoCloseable {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";

  private final TestAuthority authority = TestAuthority.create();
  private final TestAuthority another = TestAuthority.create();
  private final RedisServer server;
  private final int port;

  private TlsServer(String secret) {
    List<String> arguments = authority.arguments(authority.sign("server", "IP:127.0.0.1"), false);
    port = Integer.parseInt(arguments.get(1));
    server =
        RedisServer.builder().password(secret).arguments(arguments.toArray(String[]::new)).start();
  }

  /**
   * Whether openssl exists to make certificates.
   *
   * @return whether {@link #start} works
   */
  public static boolean isPossible() {
    return TestAuthority.isPossible();
  }

  /**
   * Starts a server that the JVM does not trust yet.
   *
   * @param secret the default user's password
   * @return a running server
   */
  public static TlsServer start(String secret) {
    return new TlsServer(secret);
  }

  /**
   * The server behind the port.
   *
   * @return a server that TCP without TLS reaches
   */
  public RedisServer server() {
    return server;
  }

  /**
   * The TLS port.
   *
   * @return a port other than the server's plain port
   */
  public int port() {
    return port;
  }

  /**
   * The URI of the TLS port.
   *
   * @param secret the password
   * @param host {@code 127.0.0.1}, or a name that the certificate does not have
   * @return {@code rediss://:secret@host:port}
   */
  public URI uri(String secret, String host) {
    return URI.create("rediss://:" + secret + '@' + host + ':' + port);
  }

  /** Makes the JVM trust the server. */
  public void trust() {
    trust(authority);
  }

  /** Makes the JVM trust another server instead. */
  public void trustAnother() {
    trust(another);
  }

  private static void trust(TestAuthority trusted) {
    System.setProperty(TRUST_STORE, trusted.trustStore().toString());
    System.setProperty(TRUST_STORE + "Password", TestAuthority.PASSWORD);
  }

  /** Ends the server, and restores the JVM's trust. */
  @Override
  public void close() {
    System.clearProperty(TRUST_STORE);
    System.clearProperty(TRUST_STORE + "Password");
    server.close();
    authority.close();
    another.close();
  }
}
