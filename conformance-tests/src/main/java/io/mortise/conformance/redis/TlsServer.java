package io.mortise.conformance.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server with a TLS port. openssl makes the certificates. The server's certificate is for {@code
 * 127.0.0.1} and nothing else. The JVM's trust is set by system properties, so there should be one
 * instance at a time. Not thread-safe.
 */
public final class TlsServer implements AutoCloseable {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";
  private static final String PASSWORD = "changeit";

  private final Path folder;
  private final RedisServer server;
  private final int port = FreePort.next();

  private TlsServer(Path folder, String secret) {
    this.folder = folder;
    certificate("server");
    server =
        RedisServer.builder()
            .password(secret)
            .arguments("--tls-port", String.valueOf(port), "--tls-auth-clients", "no")
            .arguments("--tls-cert-file", file("server.pem").toString())
            .arguments("--tls-key-file", file("server.key").toString())
            .start();
  }

  /**
   * Whether openssl exists to make certificates.
   *
   * @return whether {@link #start} works
   */
  public static boolean isPossible() {
    try {
      return new ProcessBuilder("openssl", "version").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Starts a server that the JVM does not trust yet.
   *
   * @param secret the default user's password
   * @return a running server
   */
  public static TlsServer start(String secret) {
    try {
      return new TlsServer(Files.createTempDirectory("mortise-tls"), secret);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    trust("server");
  }

  /** Makes the JVM trust another server instead. */
  public void trustAnother() {
    certificate("another");
    trust("another");
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  private void certificate(String name) {
    String command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test";
    List<String> words =
        Stream.concat(
                Stream.of(command.split(" ")),
                Stream.of(
                    "-keyout",
                    file(name + ".key").toString(),
                    "-out",
                    file(name + ".pem").toString(),
                    "-addext",
                    "subjectAltName=IP:127.0.0.1"))
            .toList();
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(said);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("openssl does not run", e);
    }
  }

  private void trust(String name) {
    Path file = file(name + ".p12");
    try (InputStream in = Files.newInputStream(file(name + ".pem"));
        OutputStream out = Files.newOutputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(
          name, CertificateFactory.getInstance("X.509").generateCertificate(in));
      store.store(out, PASSWORD.toCharArray());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    System.setProperty(TRUST_STORE, file.toString());
    System.setProperty(TRUST_STORE + "Password", PASSWORD);
  }

  /** Ends the server, and restores the JVM's trust. */
  @Override
  public void close() {
    System.clearProperty(TRUST_STORE);
    System.clearProperty(TRUST_STORE + "Password");
    server.close();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
